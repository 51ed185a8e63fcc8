# SPDX-License-Identifier: Apache-2.0
# Hardening of optimized builds: checked string functions, stack canaries, read-only relocations.

set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
add_compile_options(-fstack-protector-strong "$<${optimized}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
add_link_options(-Wl,-z,relro,-z,now "$<${optimized}:-Wl,--as-needed>")
