# frozen_string_literal: true

# Finds libcurt, in this order:
#   --with-curt-checkout=FOLDER  a checkout of curt; libcurt.a is built by Cargo, and linked in
#   --with-curt-dir=FOLDER       a folder that has include/curt.h and lib/libcurt.so
#   pkg-config                   the installed libcurt
# In a checkout, the checkout itself is the first choice.
require "mkmf"

checkout = with_config("curt-checkout")
if checkout.nil? && File.exist?(File.join(__dir__, "../../../c/include/curt.h"))
  checkout = File.expand_path("../../../..", __dir__)
end

if checkout
  target = File.expand_path(ENV.fetch("CARGO_TARGET_DIR", "target"), checkout)
  command = ["cargo", "build", "--release", "--locked", "--package", "curt-capi"]
  system(*command, chdir: checkout) or abort "libcurt cannot be built: #{command.join(" ")}"
  $INCFLAGS << " -I#{checkout}/bindings/c/include"
  # Linked in, with its symbols hidden: no other library meets them.
  $LOCAL_LIBS << " #{target}/release/libcurt.a"
  $LDFLAGS << " -Wl,--exclude-libs,ALL"
  %w[dl pthread m].each { |library| have_library(library) }
elsif !(with_config("curt-dir") ? dir_config("curt") : pkg_config("curt")) ||
      !have_header("curt.h") || !have_library("curt", "curt_abi", "curt.h")
  abort <<~MESSAGE
    libcurt is missing: the package libcurt-dev, or the archive of libcurt with
    gem install curt -- --with-curt-dir=FOLDER
  MESSAGE
end

$CFLAGS << " -fvisibility=hidden"
create_makefile("curt/curt")
