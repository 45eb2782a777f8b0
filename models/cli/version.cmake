# cmake -D SOURCE_DIR=... -D VERSION=... -D OUTPUT=... -P version.cmake
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} describe --always --dirty --exclude=* --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(commit)
    set(commit "+g${commit}")
  endif()
endif()
set(text "#include \"armature/cli/version.h\"

namespace armature::cli {

std::string_view version() { return \"${VERSION}${commit}\"; }

}  // namespace armature::cli
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
