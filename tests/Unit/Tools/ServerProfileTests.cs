using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Profile;
using Xunit;

namespace Cinnabar.Tests.Unit.Tools;

/// <summary>The profile that the server is compiled with.</summary>
public sealed class ServerProfileTests
{
    // A method of the profile that was renamed, moved or got other parameters is compiled without one.
    private const double ShareMin = 0.9;
    private const int CountMin = 1000;

    [Fact]
    public void TheServerStillHasTheMethodsOfItsProfile()
    {
        string path = Path.Combine(AppContext.BaseDirectory, "server.mibc");
        using var file = new PEReader(File.OpenRead(path));
        MetadataReader reader = file.GetMetadataReader();
        int count = reader.MemberReferences.Count;
        Assert.True(count > CountMin, $"{count} methods");
        string[] lost = [.. reader.MemberReferences.Select(handle => reader.GetMemberReference(handle))
            .Where(method => !IsThere(reader, method))
            .Select(method => NameOf(reader, method))];
        Assert.True(count - lost.Length > ShareMin * count,
            $"make it again with ./x profile: {lost.Length} of {count} methods are gone\n"
            + string.Join('\n', lost));
    }

    private static bool IsThere(MetadataReader reader, MemberReference method)
    {
        (string assembly, string type) = TypeOf(reader, method);
        return Assembly.Load(assembly).GetType(type)?.GetMember(reader.GetString(method.Name),
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance
            | BindingFlags.DeclaredOnly).Length > 0;
    }

    private static string NameOf(MetadataReader reader, MemberReference method) =>
        $"{TypeOf(reader, method).Name}.{reader.GetString(method.Name)}";

    private static (string Assembly, string Name) TypeOf(MetadataReader reader, MemberReference method)
    {
        if (method.Parent.Kind == HandleKind.TypeReference)
            return TypeNames.Of(reader, "", (TypeReferenceHandle)method.Parent);
        // An instance of a generic type: two bytes say so, then comes the type.
        TypeSpecification instance = reader.GetTypeSpecification((TypeSpecificationHandle)method.Parent);
        BlobReader signature = reader.GetBlobReader(instance.Signature);
        signature.Offset = 2;
        return TypeNames.Of(reader, "", (TypeReferenceHandle)signature.ReadTypeHandle());
    }
}
