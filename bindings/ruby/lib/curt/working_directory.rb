# frozen_string_literal: true

module Curt
  # Wraps methods that change the working directory, which Curt.expand_path caches. Leaving a block
  # restores the old directory, which is a change, too.
  module Chdir # :nodoc:
    def chdir(*)
      return super unless block_given?

      super do |*path|
        Curt.refresh
        yield(*path)
      end
    ensure
      Curt.refresh
    end

    Dir.singleton_class.prepend(self)
  end

  module ChdirHere # :nodoc:
    def chdir
      return super unless block_given?

      super do |*path|
        Curt.refresh
        yield(*path)
      end
    ensure
      Curt.refresh
    end

    Dir.prepend(self) if Dir.method_defined?(:chdir)
  end

  module Fchdir # :nodoc:
    def fchdir(descriptor)
      return super unless block_given?

      super do
        Curt.refresh
        yield
      end
    ensure
      Curt.refresh
    end

    Dir.singleton_class.prepend(self) if Dir.respond_to?(:fchdir)
  end

  module Chroot # :nodoc:
    def chroot(path)
      super
    ensure
      Curt.refresh
    end

    Dir.singleton_class.prepend(self)
  end

  module Daemon # :nodoc:
    def daemon(*)
      super
    ensure
      Curt.refresh
    end

    Process.singleton_class.prepend(self)
  end

  private_constant :Chdir, :ChdirHere, :Fchdir, :Chroot, :Daemon
end
