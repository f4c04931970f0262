# AUTOKERNEL_SANITIZE builds everything of ours with the named sanitizers.
if(AUTOKERNEL_SANITIZE)
  add_compile_options(-fsanitize=${AUTOKERNEL_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${AUTOKERNEL_SANITIZE})
  if(AUTOKERNEL_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
