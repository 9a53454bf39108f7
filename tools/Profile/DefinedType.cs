using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Profile;

/// <summary>A type in its assembly.</summary>
/// <param name="File">The assembly's file.</param>
/// <param name="Reader">The assembly's metadata.</param>
/// <param name="Assembly">Its name.</param>
/// <param name="Handle">The type.</param>
internal sealed record DefinedType(
    PEReader File, MetadataReader Reader, string Assembly, TypeDefinitionHandle Handle)
{
    /// <summary>Its name, as the runtime writes it.</summary>
    public string Name => TypeNames.Of(Reader, Handle);

    /// <summary>Whether it is a structure or an enumeration.</summary>
    public bool IsValueType
    {
        get
        {
            EntityHandle parent = Reader.GetTypeDefinition(Handle).BaseType;
            return parent.Kind == HandleKind.TypeReference
                && TypeNames.Of(Reader, Assembly, (TypeReferenceHandle)parent).Name
                    is "System.ValueType" or "System.Enum";
        }
    }

    /// <summary>Its one method, not generic itself, of a name and a size in bytes.</summary>
    public MethodDefinition? Find(string name, int codeBytes)
    {
        MethodDefinition? found = null;
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
            found = method;
        }

        return found;
    }
}
