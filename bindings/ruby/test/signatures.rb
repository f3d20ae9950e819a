# frozen_string_literal: true

# Compares `sig/curt.rbs` with the code, using the gem `rbs`.
module Signatures
  FOLDER = File.expand_path("../sig", __dir__)

  module_function

  def available?
    require "rbs"
    require "rbs/test"
    true
  rescue LoadError
    false
  end

  def environment
    @environment ||= begin
      loader = RBS::EnvironmentLoader.new
      loader.add(path: Pathname(FOLDER))
      RBS::Environment.from_loader(loader).resolve_type_names
    end
  end

  def modules(parent = Curt)
    inner = parent.constants(false).map { |name| parent.const_get(name) }
    [parent] + inner.select { |value| value.is_a?(Module) }.flat_map { |value| modules(value) }
  end

  def check
    tester = RBS::Test::Tester.new(env: environment)
    modules.reject { |one| one <= Exception }.each do |one|
      tester.install!(one, sample_size: 100, unchecked_classes: [])
    end
  end

  def public_methods
    modules.flat_map do |one|
      next [[[one, :instance], one.members]] if one.respond_to?(:members)

      [[[one, :singleton], one.singleton_methods(false)],
       [[one, :instance], one.public_instance_methods(false)]]
    end.to_h
  end

  def differences
    builder = RBS::DefinitionBuilder.new(env: environment)
    public_methods.flat_map do |(one, kind), implemented|
      type = RBS::Factory.new.type_name("::#{one.name}")
      listed = builder.public_send("build_#{kind}", type).methods
      listed = listed.select { |_, method| method.implemented_in == type && method.public? }.keys
      (listed - implemented + (implemented - listed)).map { |name| "#{kind} #{one} #{name}" }
    end
  end
end
