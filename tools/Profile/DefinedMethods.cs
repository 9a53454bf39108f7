using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Profile;

/// <summary>The methods that the project's assemblies define, by name and size.</summary>
internal sealed class DefinedMethods : IDisposable
{
    private readonly List<PEReader> _files = [];
    private readonly Dictionary<string, DefinedType> _types = [];

    /// <summary>Reads assemblies.</summary>
    /// <param name="folder">Where they lie.</param>
    /// <param name="pattern">Which of its files.</param>
    public DefinedMethods(string folder, string pattern)
    {
        foreach (string path in Directory.GetFiles(folder, pattern))
        {
            var file = new PEReader(File.OpenRead(path));
            _files.Add(file);
            MetadataReader reader = file.GetMetadataReader();
            string assembly = reader.GetString(reader.GetAssemblyDefinition().Name);
            foreach (TypeDefinitionHandle type in reader.TypeDefinitions)
                _types[TypeNames.Of(reader, type)] = new DefinedType(file, reader, assembly, type);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _files.ForEach(static file => file.Dispose());

    /// <summary>Finds what was profiled, where there is just one method of its name and size. The arguments
    /// of its type must be the project's, and not generic themselves.</summary>
    public DefinedMethod? Find(ProfiledMethod profiled)
    {
        // TYPE.METHOD or TYPE[ARGUMENT,...].METHOD.
        string name = profiled.Name;
        var arguments = new List<DefinedType>();
        int open = name.IndexOf('[', StringComparison.Ordinal);
        int close = name.IndexOf(']', StringComparison.Ordinal);
        if (open >= 0)
        {
            if (name.IndexOf('[', open + 1) >= 0)
                return null;
            foreach (string argument in name[(open + 1)..close].Split(','))
            {
                if (!_types.TryGetValue(argument, out DefinedType? known))
                    return null;
                arguments.Add(known);
            }

            name = name[..open] + name[(close + 1)..];
        }

        // A method's name may have dots itself: .ctor, and those of an interface.
        for (int dot = name.Length - 1; dot > 0; dot--)
        {
            if (name[dot] == '.' && _types.TryGetValue(name[..dot], out DefinedType? type))
            {
                string method = name[(dot + 1)..];
                return type.Find(method, profiled.CodeBytes) is { } found
                    ? new DefinedMethod(type, arguments, method, found.Signature)
                    : null;
            }
        }

        return null;
    }
}
