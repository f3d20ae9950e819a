# frozen_string_literal: true

require_relative "lib/curt/version"

Gem::Specification.new do |gem|
  gem.name = "curt"
  gem.version = Curt::VERSION
  gem.summary = "expand_path, rm_rf, find and contained opens in few system calls"
  gem.description = "The filesystem operations of File, FileUtils, Find and Dir over libcurt: " \
                    "the system's exact results, several times as fast, and untrusted paths that " \
                    "cannot escape."
  gem.authors = ["The curt developers"]
  gem.licenses = ["MIT", "Apache-2.0"]
  gem.required_ruby_version = ">= 3.1"
  gem.files = Dir["lib/**/*.rb", "ext/**/*.{c,h,rb}", "sig/*.rbs", "README.md", "LICENSE-*"]
  gem.extensions = ["ext/curt/extconf.rb"]
  url = File.read(File.expand_path("../../Cargo.toml", __dir__))[/^repository = "(.*)"/, 1]
  gem.homepage = url
  gem.metadata = {
    "rubygems_mfa_required" => "true",
    "source_code_uri" => url,
    "bug_tracker_uri" => "#{url}/issues",
    "changelog_uri" => "#{url}/blob/main/CHANGELOG.md"
  }
end
