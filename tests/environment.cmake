# SPDX-License-Identifier: Apache-2.0
# Read by ctest before it runs the tests, however it was started.

# Limits of check are to end what hangs: its 4 seconds a test are too few for a busy machine or a sanitizer.
if(NOT DEFINED ENV{CK_TIMEOUT_MULTIPLIER})
  set(ENV{CK_TIMEOUT_MULTIPLIER} 20)
endif()
