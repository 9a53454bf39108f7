using System.Reflection.Metadata;

namespace Profile;

/// <summary>Names of types as the runtime writes them: <c>Namespace.Outer+Inner</c>.</summary>
internal static class TypeNames
{
    /// <summary>The name of a type that an assembly defines.</summary>
    public static string Of(MetadataReader reader, TypeDefinitionHandle handle)
    {
        TypeDefinition type = reader.GetTypeDefinition(handle);
        string name = reader.GetString(type.Name);
        TypeDefinitionHandle outer = type.GetDeclaringType();
        return outer.IsNil ? Join(reader.GetString(type.Namespace), name) : $"{Of(reader, outer)}+{name}";
    }

    /// <summary>The name of a type that an assembly refers to, and the assembly that defines it.</summary>
    /// <param name="reader">The assembly's metadata.</param>
    /// <param name="assembly">Its name.</param>
    /// <param name="handle">The type.</param>
    public static (string Assembly, string Name) Of(
        MetadataReader reader, string assembly, TypeReferenceHandle handle)
    {
        TypeReference type = reader.GetTypeReference(handle);
        string name = reader.GetString(type.Name);
        switch (type.ResolutionScope.Kind)
        {
            case HandleKind.TypeReference:
                var outer = Of(reader, assembly, (TypeReferenceHandle)type.ResolutionScope);
                return (outer.Assembly, $"{outer.Name}+{name}");
            case HandleKind.AssemblyReference:
                AssemblyReference other =
                    reader.GetAssemblyReference((AssemblyReferenceHandle)type.ResolutionScope);
                return (reader.GetString(other.Name), Join(reader.GetString(type.Namespace), name));
            default:
                return (assembly, Join(reader.GetString(type.Namespace), name));
        }
    }

    private static string Join(string space, string name) => space.Length == 0 ? name : $"{space}.{name}";
}
