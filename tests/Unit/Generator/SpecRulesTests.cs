using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Rules;
using Cinnabar.Generator;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;
using Xunit;

namespace Cinnabar.Tests.Unit.Generator;

/// <summary>A bad spec is a compiler error that says what is wrong and where.</summary>
public sealed class SpecRulesTests
{
    private const string Access = """
        "access_specs": [{ "flags": ["pattern"], "begin_search": { "index": 1 },
          "find_keys": { "range": { "lastkey": 0, "keystep": 1, "limit": 0 } } }], "cost":
        """;

    private const string Good = """
        {
          "name": "peek",
          "summary": "Reads a string.",
          "since": "1.0.0",
          "group": "string",
          "complexity": "O(1)",
          "arity": 2,
          "function": "Cinnabar.Commands.Strings.StringCommands.Peek",
          "lock": "keys",
          "cost": "constant",
          "command_flags": ["readonly", "fast"],
          "acl_categories": ["read", "string", "fast"],
          "key_specs": [
            {
              "flags": ["RO", "access"],
              "begin_search": { "index": 1 },
              "find_keys": { "range": { "lastkey": 0, "keystep": 1, "limit": 0 } }
            }
          ],
          "arguments": [{ "name": "key", "type": "key", "key_spec_index": 0 }]
        }
        """;

    [Fact]
    public void AGoodSpecIsNoError() => Assert.Empty(Errors("", "", out _));

    [Theory]
    [InlineData("\"arity\": 2,", "", "\"arity\" is missing", 0)]
    [InlineData("\"arity\": 2", "\"arity\": 0", "arity counts", 0)]
    [InlineData("\"readonly\", \"fast\"", "\"quick\", \"fast\"", "\"quick\" is no CommandFlags", 0)]
    [InlineData("\"readonly\", \"fast\"", "\"fast\", \"fast\"", "\"fast\" stands twice", 0)]
    [InlineData("\"readonly\", \"fast\"", "\"fast\", \"write\"", "write needs its category", 0)]
    [InlineData("[\"read\", \"string\", \"fast\"]", "[\"read\"]", "fast is a flag and a category", 0)]
    [InlineData("\"string\", \"fast\"]", "\"strings\", \"fast\"]", "\"strings\" is no AclCategories", 0)]
    [InlineData("\"index\": 1", "\"index\": 0", "a key's index is 1 or more", 15)]
    [InlineData("\"index\": 1", "\"index\": 3", "begins behind the arguments", 0)]
    [InlineData("\"keystep\": 1", "\"keystep\": 0", "keystep is 1 or more", 16)]
    [InlineData("\"keystep\": 1, ", "", "\"keystep\" is missing", 16)]
    [InlineData("\"RO\", ", "", "one of RO, RW, OW, RM", 0)]
    [InlineData("\"RO\", ", "\"RO\", \"database\", ", "\"database\" belongs to access_specs", 0)]
    [InlineData("\"cost\":", Access, "an access spec has one of channel, database", 0)]
    [InlineData("\"range\": {", "\"row\": {", "\"row\" is no KeyFind", 0)]
    [InlineData("\"key_spec_index\": 0", "\"key_spec_index\": 1", "no such key spec", 0)]
    [InlineData("\"lock\": \"keys\"", "\"lock\": \"none\"", "lock says keys", 0)]
    [InlineData("\"lock\": \"keys\"", "\"lock\": \"some\"", "\"some\" is no LockScope", 0)]
    [InlineData("\"lock\": \"keys\"", "\"lock\": \"chosen\"", "there is a lock_chooser", 0)]
    [InlineData("\"cost\":", "\"lock_chooser\": \"X\", \"cost\":", "there is a lock_chooser", 0)]
    [InlineData("\"cost\":", "\"lock_all_if\": \"X\", \"cost\":", "lock_all_if is no method", 0)]
    [InlineData("\"cost\":", "\"effect\": \"X\", \"cost\":", "effect is verbatim or own", 0)]
    [InlineData("\"cost\":", "\"lock_all_if\": \"Cinnabar.A.B.C\", \"cost\":", "C is not a static bool", 0)]
    [InlineData("\"cost\": \"constant\"", "\"cost\": \"dear\"", "\"dear\" is no CommandCost", 0)]
    [InlineData("\"name\": \"peek\"", "\"name\": \"look\"", "the file of look has another name", 0)]
    [InlineData("\"since\"", "\"sinse\"", "\"sinse\" is no property", 3)]
    [InlineData("\"type\": \"key\"", "\"type\": \"kee\"", "\"kee\" is no type of argument", 0)]
    [InlineData("\"Cinnabar.Commands.Strings.StringCommands.Peek\"", "\"Peek\"", "no method's full name", 0)]
    [InlineData("\"arity\": 2,", "\"arity\": 2", "'}' expected", 7)]
    public void ABadSpecIsAnErrorAtItsLine(string text, string replacement, string message, int line)
    {
        Diagnostic error = Assert.Single(Errors(text, replacement, out _));
        Assert.Contains(message, error.GetMessage());
        Assert.Equal(line, error.Location.GetLineSpan().StartLinePosition.Line);
        Assert.EndsWith("peek.json", error.Location.GetLineSpan().Path);
    }

    [Fact]
    public void AHandlerOfAnotherShapeIsAnError()
    {
        const string source = """
            namespace Cinnabar.Commands { public class Execution { } }
            namespace Cinnabar.Commands.Strings
            {
                public static class StringCommands { public static int Peek(Execution execution) => 1; }
            }
            """;
        Diagnostic error = Assert.Single(Run([("peek.json", Good)], source, out _));
        Assert.Contains("Peek is not a static method of one Execution", error.GetMessage());
        string right = source.Replace("int Peek", "void Peek").Replace("=> 1;", "{ }");
        Assert.Empty(Run([("peek.json", Good)], right, out string generated));
        const string address = "&global::Cinnabar.Commands.Strings.StringCommands.Peek;";
        Assert.Contains($"<global::Cinnabar.Commands.Execution, void>){address}", generated);
        string leaving = source
            .Replace("class Execution { }", "class Execution { } public struct Outcome { }")
            .Replace("int Peek", "Outcome Peek").Replace("=> 1;", "=> default;");
        Assert.Empty(Run([("peek.json", Good)], leaving, out generated));
        Assert.Contains("<global::Cinnabar.Commands.Execution, global::Cinnabar.Commands.Outcome>)" + address,
            generated);
    }

    private static ImmutableArray<Diagnostic> Errors(string text, string replacement, out string generated)
    {
        string spec = text.Length == 0 ? Good : Good.Replace(text, replacement);
        Assert.True(text.Length == 0 || spec != Good, "the test changes nothing");
        return Run([("peek.json", spec)], "", out generated);
    }

    private static ImmutableArray<Diagnostic> Run(
        (string Path, string Text)[] specs, string source, out string generated)
    {
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        MetadataReference[] references =
        [
            MetadataReference.CreateFromFile(Path.Combine(runtime, "System.Runtime.dll")),
            MetadataReference.CreateFromFile(Path.Combine(runtime, "System.Private.CoreLib.dll")),
            MetadataReference.CreateFromFile(typeof(CommandFlags).Assembly.Location),
            MetadataReference.CreateFromFile(typeof(AclCategories).Assembly.Location),
        ];
        Compilation compilation = CSharpCompilation.Create(
            "Specs", [CSharpSyntaxTree.ParseText(source)], references);
        IEnumerable<AdditionalText> files = specs.Select(spec => new SpecText(spec.Path, spec.Text));
        GeneratorDriver driver = CSharpGeneratorDriver
            .Create([new CommandTableGenerator().AsSourceGenerator()], files)
            .RunGenerators(compilation);
        GeneratorDriverRunResult result = driver.GetRunResult();
        generated = string.Concat(result.GeneratedTrees.Select(tree => tree.ToString()));
        return result.Diagnostics;
    }

    private sealed class SpecText(string path, string text) : AdditionalText
    {
        public override string Path => path;

        public override SourceText GetText(CancellationToken cancellationToken = default) =>
            SourceText.From(text);
    }
}
