# frozen_string_literal: true

# Finds libcurt, in this order:
#   --with-curt-dir=FOLDER  an unpacked archive of libcurt, linked statically
#   a checkout of curt      if this file is in one; Cargo builds libcurt.a, in the release profile
#                           or in --with-curt-profile=PROFILE, linked statically
#   the installed libcurt   by pkg-config or the compiler's search path, linked dynamically
require "mkmf"

# The required `CURT_ABI` of libcurt's header.
ABI = 1

abort "The gem curt is not for Windows yet" if $mswin || $mingw

def build_libcurt(checkout, profile) # :nodoc:
  command = ["cargo", "build", "--locked", "--profile", profile, "--package", "curt-capi"]
  puts command.join(" ")
  $stdout.flush
  case system(*command, chdir: checkout)
  when nil
    abort "This is a checkout of curt: building it needs Cargo, of Rust 1.85 or newer " \
          "(https://rustup.rs, or the package cargo of Debian 13)"
  when false
    abort "libcurt cannot be built: #{command.join(" ")}"
  end
  target = File.expand_path(ENV.fetch("CARGO_TARGET_DIR", "target"), checkout)
  File.join(target, profile == "dev" ? "debug" : profile, "libcurt.a")
end

# Links the library in, and hides its symbols from other libraries. Returns make rules that rebuild
# the extension when the library changes.
def link_in(archive, include) # :nodoc:
  abort "#{include}/curt.h is missing" unless File.exist?("#{include}/curt.h")
  abort "#{archive} is missing" unless File.exist?(archive)
  $INCFLAGS << " -I#{include.quote}"
  $LOCAL_LIBS << " #{archive.quote}"
  append_ldflags("-Wl,--exclude-libs,ALL")
  %w[dl pthread m].each { |library| have_library(library) }
  "$(OBJS): #{include.quote}/curt.h\n$(DLLIB): #{archive.quote}\n"
end

checkout = File.expand_path("../../../..", __dir__)
needs = if (folder = with_config("curt-dir"))
  folder = File.expand_path(folder)
  link_in("#{folder}/lib/libcurt.a", "#{folder}/include")
elsif File.exist?("#{checkout}/bindings/c/include/curt.h")
  archive = build_libcurt(checkout, with_config("curt-profile", "release"))
  link_in(archive, "#{checkout}/bindings/c/include")
else
  pkg_config("curt")
  unless have_header("curt.h") && have_library("curt", "curt_abi", "curt.h")
    abort <<~MESSAGE
      libcurt is missing. Install its package libcurt-dev, or say where its archive is unpacked, or
      where `cargo xtask c-install --prefix FOLDER` of a checkout has installed it:
          gem install --local curt.gem -- --with-curt-dir=FOLDER
    MESSAGE
  end
  ""
end
unless checking_for("CURT_ABI >= #{ABI}") { try_static_assert("CURT_ABI >= #{ABI}", "curt.h") }
  abort "The libcurt that was found is older than the gem: it needs one whose CURT_ABI is #{ABI}"
end

$CFLAGS << " -fvisibility=hidden"
create_makefile("curt/curt")
File.write("Makefile", "\n#{needs}", mode: "a")
