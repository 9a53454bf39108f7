using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Cinnabar.Generator;

/// <summary>
/// Compiles spec/commands/*.json into the command table of Cinnabar.Engine. A bad spec is a compiler
/// error at its line. What it writes is data rather than code: a table built by two hundred constructor
/// calls would cost the start of the process tens of milliseconds in the JIT, a constant text costs nothing.
/// </summary>
[Generator]
public sealed class CommandTableGenerator : IIncrementalGenerator
{
    private static readonly DiagnosticDescriptor s_badSpec = new DiagnosticDescriptor(
        "CINN001", "Bad command spec", "{0}", "Cinnabar.Specs", DiagnosticSeverity.Error, true);

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValueProvider<ImmutableArray<AdditionalText>> files = context.AdditionalTextsProvider
            .Where(file => file.Path.EndsWith(".json", StringComparison.Ordinal))
            .Collect();
        context.RegisterSourceOutput(files.Combine(context.CompilationProvider), Generate);
    }

    private static void Generate(
        SourceProductionContext output, (ImmutableArray<AdditionalText> Files, Compilation Compilation) input)
    {
        if (input.Files.IsEmpty) return;
        string path = "";
        try
        {
            var words = new SpecVocabulary(input.Compilation);
            var commands = new List<CommandModel>();
            var names = new HashSet<string>();
            var checker = new SpecChecker(words);
            foreach (AdditionalText file in Sorted(input.Files))
            {
                path = file.Path;
                string json = file.GetText(output.CancellationToken)!.ToString();
                CommandModel command = SpecReader.Read(path, json);
                checker.Check(command);
                if (!names.Add(command.Name)) throw new SpecException(command.Name + " stands twice", 0);
                Number(commands, command);
            }

            var blobs = new BlobWriter(words);
            blobs.Write(commands);
            output.AddSource("CommandId.g.cs", SourceWriter.Ids(commands));
            output.AddSource("SpecTexts.g.cs", SourceWriter.Texts(blobs));
            var binder = new HandlerBinder(input.Compilation);
            output.AddSource("SpecHandlers.g.cs", SourceWriter.Handlers(commands, binder));
        }
        catch (SpecException bad)
        {
            var position = new LinePosition(bad.Line, 0);
            var span = new LinePositionSpan(position, position);
            Location location = Location.Create(path, new TextSpan(0, 0), span);
            output.ReportDiagnostic(Diagnostic.Create(s_badSpec, location, bad.Message));
        }
    }

    private static List<AdditionalText> Sorted(ImmutableArray<AdditionalText> files)
    {
        var sorted = new List<AdditionalText>(files);
        sorted.Sort((a, b) => string.CompareOrdinal(Path.GetFileName(a.Path), Path.GetFileName(b.Path)));
        return sorted;
    }

    private static void Number(List<CommandModel> commands, CommandModel command)
    {
        commands.Add(command);
        command.Id = commands.Count;
        foreach (CommandModel subcommand in command.Subcommands)
        {
            commands.Add(subcommand);
            subcommand.Id = commands.Count;
        }
    }
}
