using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Cinnabar.Structures.Listpacks;
using Profile;
using Xunit;

namespace Cinnabar.Tests.Unit.Tools;

/// <summary>The tool that makes the native compiler's profile.</summary>
public sealed class ProfileTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-profile-");

    /// <inheritdoc/>
    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public void CountsAreWrittenForTheMethodOfTheirNameAndSize()
    {
        MethodInfo method = MethodWithUniqueName();
        ProfiledMethod profiled = Assert.Single(ProfileText.Read(Text(method, SizeOf(method))));
        using var defined = new DefinedMethods(AppContext.BaseDirectory, "Cinnabar.Structures.dll");
        var module = new ProfileModule();
        module.Add(Assert.IsType<DefinedMethod>(defined.Find(profiled)), profiled);
        string path = Path.Combine(_directory.FullName, "test.mibc");
        module.Write(path);

        using var file = new PEReader(File.OpenRead(path));
        MetadataReader reader = file.GetMetadataReader();
        Assert.Equal(method.Name, Assert.Single(NamesOf(reader)));
        MethodDefinition group = reader.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(1));
        byte[] code = file.GetMethodBody(group.RelativeVirtualAddress).GetILBytes()!;
        // ldtoken, ldstr, five fields and 5,000,000,000; five fields, a type, none; ldstr, pop, ret.
        Assert.Equal((byte)ILOpCode.Ldtoken, code[0]);
        Assert.Equal(1, Count(code, BitConverter.GetBytes(5_000_000_000)));
        Assert.Contains(reader.TypeReferences, handle =>
            reader.GetString(reader.GetTypeReference(handle).Name) == "RuntimeType");
    }

    [Fact]
    public void AnInstanceOfAGenericTypeIsFoundByItsArguments()
    {
        const string page = "Cinnabar.Structures.Trees.RecordPage`1[Cinnabar.Structures.Hashes.HashRecord]";
        MethodInfo method = Assert.Single(
            typeof(Listpack).Assembly.GetType("Cinnabar.Structures.Trees.RecordPage`1")!.GetMethods(
                BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static),
            static method => method.Name == "OffsetOf");
        var profiled = new ProfiledMethod($"{page}.OffsetOf", SizeOf(method), IsGeneric: false, []);
        using var defined = new DefinedMethods(AppContext.BaseDirectory, "Cinnabar.Structures.dll");
        DefinedMethod found = Assert.IsType<DefinedMethod>(defined.Find(profiled));
        Assert.Equal("Cinnabar.Structures.Hashes.HashRecord", Assert.Single(found.Arguments).Name);
        var module = new ProfileModule();
        module.Add(found, profiled);
        string path = Path.Combine(_directory.FullName, "test.mibc");
        module.Write(path);

        using var file = new PEReader(File.OpenRead(path));
        MetadataReader reader = file.GetMetadataReader();
        MemberReference reference = reader.GetMemberReference(Assert.Single(reader.MemberReferences));
        Assert.Equal(HandleKind.TypeSpecification, reference.Parent.Kind);
        string unknown = profiled.Name.Replace("HashRecord", "None", StringComparison.Ordinal);
        Assert.Null(defined.Find(profiled with { Name = unknown }));
    }

    [Fact]
    public void AMethodThatHasChangedIsNotFound()
    {
        MethodInfo method = MethodWithUniqueName();
        ProfiledMethod profiled = Assert.Single(ProfileText.Read(Text(method, SizeOf(method) + 1)));
        using var defined = new DefinedMethods(AppContext.BaseDirectory, "Cinnabar.Structures.dll");
        Assert.Null(defined.Find(profiled));
    }

    [Fact]
    public void ATextOfAnotherFormIsRefused()
    {
        string path = Path.Combine(_directory.FullName, "counts.txt");
        File.WriteAllLines(path, ["@@@ codehash 0x1 methodhash 0x2 ilSize 0x3 records 0x1", "Method: X"]);
        Assert.Throws<FormatException>(() => ProfileText.Read(path).ToList());
    }

    private static MethodInfo MethodWithUniqueName() =>
        typeof(Listpack).GetMethods(BindingFlags.DeclaredOnly | BindingFlags.Public
                | BindingFlags.Instance | BindingFlags.Static)
            .Where(static method => !method.IsGenericMethod && method.GetMethodBody() is not null)
            .GroupBy(static method => method.Name).First(static group => group.Count() == 1).Single();

    private static int SizeOf(MethodInfo method) => method.GetMethodBody()!.GetILAsByteArray()!.Length;

    private static IEnumerable<string> NamesOf(MetadataReader reader) =>
        reader.MemberReferences.Select(handle => reader.GetString(reader.GetMemberReference(handle).Name));

    private static int Count(ReadOnlySpan<byte> bytes, ReadOnlySpan<byte> wanted)
    {
        int count = 0;
        for (int at; (at = bytes.IndexOf(wanted)) >= 0; bytes = bytes[(at + 1)..])
            count++;
        return count;
    }

    private string Text(MethodInfo method, int size)
    {
        string path = Path.Combine(_directory.FullName, "counts.txt");
        File.WriteAllLines(path,
        [
            "*** START PGO Data, max index = 1 ***",
            $"@@@ codehash 0x00000001 methodhash 0x00000002 ilSize 0x{size:X8} records 0x00000002",
            $"MethodName: {method.DeclaringType!.FullName}.{method.Name}",
            "Signature: void  ()",
            "Schema InstrumentationKind 386 ILOffset 4 Count 1 Other 7",
            "5000000000",
            "Schema InstrumentationKind 195 ILOffset 9 Count 2 Other 3221225472",
            "TypeHandle: System.RuntimeType, System.Private.CoreLib, Version=10.0.0.0",
            "TypeHandle: NULL",
            "*** END PGO Data ***",
        ]);
        return path;
    }
}
