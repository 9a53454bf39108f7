using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Tidy;
using Tidy.Rules;
using Xunit;

namespace Cinnabar.Tests.Unit.Tools;

/// <summary>Each rule must find violations and accept allowed code.</summary>
public sealed class TidyTests : IDisposable
{
    private const string Head = "namespace Cinnabar.Memory;\n";
    private readonly string _root = Directory.CreateTempSubdirectory("cinnabar-tidy-").FullName;

    public TidyTests() => WriteProject("Cinnabar.Memory", "");

    public static TheoryData<string, string> Violations => new()
    {
        { "layout", Head + "internal sealed class Bar { }" },
        { "layout", Head + "internal sealed class Foo { }\ninternal sealed class Bar { }" },
        { "layout", "namespace Cinnabar.Resp;\ninternal sealed class Foo { }" },
        { "layout", "namespace Cinnabar.Memory { internal sealed class Foo { } }" },
        { "partial", Head + "internal sealed partial class Foo { }" },
        { "line", Head + "internal sealed class Foo { }" + new string(' ', 81) + "//" },
        { "file-length", Head + "internal sealed class Foo { }" + new string('\n', 399) + "//" },
        { "method-length", Head + "internal sealed class Foo { void M() {" + new string('\n', 70) + "} }" },
        { "parameters", Head + "class Foo { void M(int a, int b, int c, int d, int e, int f) { } }" },
        { "name", Head + "internal sealed class Foo { private sealed class PageManager { } }" },
        { "static-state", Head + "internal sealed class Foo { private static int s_count; }" },
        { "static-state", Head + "internal sealed class Foo { private static int Count { get; set; } }" },
        { "static-state", Head + "internal sealed class Foo { static readonly List<int> s_all = []; }" },
        { "static-state", Head + "internal sealed class Foo { [ThreadStatic] private static int t_one; }" },
        { "native-call", Head + "internal class Foo { [DllImport(\"c\")] static extern int getpid(); }" },
        { "safety-comment", Head + "internal sealed unsafe class Foo { int M(int* p) => *p; }" },
        { "unfinished", Head + "internal sealed class Foo { } // TODO: all of it" },
        { "type-parameters", Head + "/// <summary>x</summary>\npublic sealed class Foo<A, B, C> { }" },
        { "documentation", Head + "public sealed class Foo { }" },
        { "documentation", Head + "/// <summary>x</summary>\npublic sealed class Foo { public int Size; }" },
    };

    [Theory]
    [MemberData(nameof(Violations))]
    public void ARuleFindsWhatBreaksItAndNoOtherDoes(string rule, string text)
    {
        WriteSource("src/Cinnabar.Memory/Foo.cs", text);
        Assert.Equal([rule], Check().Select(violation => violation.Rule).Distinct());
    }

    [Theory]
    [InlineData("internal sealed partial class Foo { [LibraryImport] static partial int getpid(int a); }")]
    [InlineData("internal sealed class Foo { private static readonly int s_count = 1; const int A = 1; }")]
    [InlineData("// SAFETY: the caller holds the page.\ninternal unsafe class Foo { int M(int* p) => *p; }")]
    [InlineData("internal sealed record Foo(int A, int B, int C, int D, int E, int F);")]
    [InlineData("internal sealed class Foo { public int Size; private sealed class ContextualPages { } }")]
    public void AllowedCodePasses(string text)
    {
        Directory.Delete(Path.Combine(_root, "src"), recursive: true);
        WriteProject("Cinnabar.Platform", "");
        WriteSource("src/Cinnabar.Platform/Foo.cs", "namespace Cinnabar.Platform;\n" + text);
        Assert.Empty(Check());
    }

    [Theory]
    [InlineData("../Cinnabar.Engine/Cinnabar.Engine.csproj", false)]
    [InlineData("../Cinnabar.Memory/Cinnabar.Memory.csproj", false)]
    [InlineData("../../bench/Cinnabar.Bench/Cinnabar.Bench.csproj", false)]
    [InlineData("../Cinnabar.Platform/Cinnabar.Platform.csproj", true)]
    public void OnlyModulesAboveMayBeReferenced(string reference, bool isAllowed)
    {
        string element = $"<ProjectReference Include=\"{reference}\" />";
        WriteProject("Cinnabar.Memory", $"<ItemGroup>{element}</ItemGroup>");
        Assert.Equal(isAllowed, !Check().Any(violation => violation.Rule == "reference"));
    }

    [Theory]
    // An import, an outer namespace, a qualified name.
    [InlineData("using Cinnabar.Memory.Low;\n\nnamespace Cinnabar.Memory;\n", "Pool")]
    [InlineData("namespace Cinnabar.Memory.Low.Deep;\n", "Pool")]
    [InlineData("namespace Cinnabar.Memory;\n", "Low.Pool")]
    public void FoldersThatNameEachOthersTypesAreACycle(string head, string name)
    {
        string folder = head.Contains("Deep") ? "/Low/Deep" : "";
        string space = "Cinnabar.Memory" + folder.Replace('/', '.');
        const string low = "namespace Cinnabar.Memory.Low;\n";
        WriteSource($"src/Cinnabar.Memory{folder}/User.cs", $"{head}class User {{ {name}? _pool; }}");
        WriteSource("src/Cinnabar.Memory/Low/Pool.cs", low + "class Pool { int User; }");
        Assert.Empty(Check());
        WriteSource("src/Cinnabar.Memory/Low/Pool.cs", $"using {space};\n{low}class Pool {{ User? _user; }}");
        Assert.Equal(["folder-cycle", "folder-cycle"], Check().Select(violation => violation.Rule));
    }

    [Fact]
    public void AnExceptionTakesAReferenceOutOfACycle()
    {
        WriteSource("src/Cinnabar.Memory/Foo.cs", "using Cinnabar.Memory.Low;\n" + Head + "class Foo : Bar;");
        const string low = "namespace Cinnabar.Memory.Low;\n";
        WriteSource("src/Cinnabar.Memory/Low/Bar.cs", low + "class Bar { Foo? _foo; }");
        Assert.Equal(2, Check().Count);
        Assert.Empty(Check(violation => violation.Key == "folder-cycle src/Cinnabar.Memory:Low->."));
    }

    [Fact]
    public void CommandsHaveNoPointers()
    {
        const string setting = "<AllowUnsafeBlocks>true</AllowUnsafeBlocks>";
        const string unsafeCode = $"<PropertyGroup>{setting}</PropertyGroup>";
        WriteProject("Cinnabar.Commands", unsafeCode);
        WriteProject("Cinnabar.Keyspace", unsafeCode);
        Violation violation = Assert.Single(Check());
        Assert.Equal("unsafe-project src/Cinnabar.Commands/Cinnabar.Commands.csproj", violation.Key);
    }

    [Fact]
    public void APartialTypeIsNotSplitByHand()
    {
        WriteSource("src/Cinnabar.Memory/Foo.cs", Head + "[Generated] internal sealed partial class Foo { }");
        WriteSource("src/Cinnabar.Memory/Bar.cs", Head + "[Generated] internal sealed partial class Foo { }");
        Assert.Contains(Check(), violation => violation.Rule == "partial");
    }

    [Fact]
    public void AnExceptionExcusesAndIsReportedOnceItExcusesNothing()
    {
        WriteSource("tools/Tidy/exceptions.txt", "# all\nfile-length src/A.cs # why\nname src/B.cs:C # so\n");
        var exceptions = new ExceptionList(_root);
        Assert.True(exceptions.Excuses(new Violation("file-length", "src/A.cs", "", "")));
        Assert.False(exceptions.Excuses(new Violation("name", "src/B.cs", "D", "")));
        Assert.Equal("name src/B.cs:C", Assert.Single(exceptions.Unneeded).Subject);
    }

    [Theory]
    [InlineData("name src/B.cs:C")]
    [InlineData("name src/B.cs:C # ")]
    public void AnExceptionNeedsAReason(string line)
    {
        WriteSource("tools/Tidy/exceptions.txt", line + "\n");
        Assert.Throws<FormatException>(() => new ExceptionList(_root));
    }

    [Fact]
    public void WrappingLeavesPicturesAndKeepsEveryWord()
    {
        string longLine = string.Join(' ', Enumerable.Repeat("word", 30));
        string text = $"// one\n// {longLine}\n//\n// a    picture {longLine}\n"
            + $"/// <summary>{longLine}</summary>\nx();";
        string[] lines = CommentWrap.Wrap(text).Split('\n');
        Assert.Contains($"// a    picture {longLine}", lines);
        Assert.Contains("//", lines);
        Assert.Equal("x();", lines[^1]);
        Assert.All(lines.Where(line => !line.Contains("picture")),
            line => Assert.InRange(line.Length, 0, 110));
        Assert.Equal(Words(text), Words(string.Join('\n', lines)));
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    private static string Words(string text) =>
        string.Join(' ', text.Split([' ', '\n', '/'], StringSplitOptions.RemoveEmptyEntries));

    private List<Violation> Check(Func<Violation, bool>? excuses = null)
    {
        var repository = new Repository(_root);
        return [.. Program.RulesOf(excuses ?? (_ => false)).SelectMany(rule => rule.Check(repository))];
    }

    private void WriteProject(string name, string inner) => WriteSource($"src/{name}/{name}.csproj",
        $"<Project Sdk=\"Microsoft.NET.Sdk\">{inner}</Project>");

    private void WriteSource(string path, string text)
    {
        string full = Path.Combine(_root, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
