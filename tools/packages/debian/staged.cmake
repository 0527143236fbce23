# Run by CPack before it packs a component: files that were made on the way get the sources' time, so that
# two builds of the same sources make the same packages.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -newermt @$ENV{SOURCE_DATE_EPOCH}
    -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} + COMMAND_ERROR_IS_FATAL ANY)
endif()
