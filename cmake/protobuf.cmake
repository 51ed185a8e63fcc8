# SPDX-License-Identifier: Apache-2.0
# Protocol buffers by protobuf-c: code generated at build time from schemas of our own.

find_program(PROTOC_C protoc-c)
if(NOT PROTOC_C)
  find_program(PROTOC protoc REQUIRED)
  find_program(PROTOC_GEN_C protoc-gen-c REQUIRED)
  set(PROTOC_C ${PROTOC})
endif()

# rwl_protobuf(FOLDER OUT-VARIABLE NAMES ...): compiles <here>/proto/NAME.proto, which others import as
# "FOLDER/NAME.proto", to <build>/generated/FOLDER/NAME.pb-c.{c,h}. The sources, to be added to the layer, in
# OUT-VARIABLE; the warnings of what is generated are not ours to mend.
function(rwl_protobuf folder out)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  set(protos ${ARGN})
  list(TRANSFORM protos REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/proto/\\1.proto")
  set(sources)
  file(MAKE_DIRECTORY ${generated}/${folder})
  foreach(name ${ARGN})
    set(base ${generated}/${folder}/${name}.pb-c)
    add_custom_command(
      OUTPUT ${base}.c ${base}.h
      COMMAND ${PROTOC_C} --proto_path=${folder}=${CMAKE_CURRENT_SOURCE_DIR}/proto --c_out=${generated}
        ${folder}/${name}.proto
      DEPENDS ${protos}
      VERBATIM)
    list(APPEND sources ${base}.c)
    set_source_files_properties(${base}.c ${base}.h PROPERTIES GENERATED TRUE)
    set_source_files_properties(${base}.c PROPERTIES COMPILE_OPTIONS -w)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
