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

    /// <summary>Finds what was profiled, where there is just one method of its name and size.</summary>
    public DefinedMethod? Find(ProfiledMethod profiled)
    {
        // A method's name may have dots itself: .ctor, and those of an interface.
        for (int dot = profiled.Name.Length - 1; dot > 0; dot--)
        {
            if (profiled.Name[dot] == '.' && _types.TryGetValue(profiled.Name[..dot], out DefinedType? type))
                return type.Find(profiled.Name[(dot + 1)..], profiled.CodeBytes);
        }

        return null;
    }

    private sealed record DefinedType(
        PEReader File, MetadataReader Reader, string Assembly, TypeDefinitionHandle Handle)
    {
        public DefinedMethod? Find(string name, int codeBytes)
        {
            DefinedMethod? found = null;
            foreach (MethodDefinitionHandle handle in Reader.GetTypeDefinition(Handle).GetMethods())
            {
                MethodDefinition method = Reader.GetMethodDefinition(handle);
                if (method.RelativeVirtualAddress == 0 || !Reader.StringComparer.Equals(method.Name, name)
                    || File.GetMethodBody(method.RelativeVirtualAddress).GetILReader().Length != codeBytes)
                {
                    continue;
                }

                if (found is not null || method.GetGenericParameters().Count > 0)
                    return null;
                found = new DefinedMethod(Reader, Assembly, Handle, name, method.Signature);
            }

            return found;
        }
    }
}
