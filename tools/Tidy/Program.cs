using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Tidy.Rules;

namespace Tidy;

/// <summary>Checks the house rules that a program can check: <c>Tidy ROOT [--wrap]</c>. Each rule counts as
/// one test; the last line has the form that the test projects' runner prints, so that one script can add
/// them up.</summary>
internal static class Program
{
    private static int Main(string[] args)
    {
        string root = args.Length > 0 ? args[0] : Environment.CurrentDirectory;
        var repository = new Repository(root);
        if (args.Contains("--wrap")) return Wrap(root, repository);
        var exceptions = new ExceptionList(root);
        IRule[] rules = RulesOf(exceptions.Excuses);
        int failed = 0;
        foreach (IRule rule in rules)
        {
            var violations = rule.Check(repository)
                .Where(violation => !exceptions.Excuses(violation)).ToList();
            if (violations.Count != 0) failed++;
            Print(violations);
        }
        var unneeded = exceptions.Unneeded.ToList();
        if (unneeded.Count != 0) failed++;
        Print(unneeded);
        Console.WriteLine($"   Tidy  Total: {rules.Length + 1}, Errors: 0, Failed: {failed}, Skipped: 0, "
            + $"Not Run: 0 ({repository.Files.Count} files)");
        return failed == 0 ? 0 : 1;
    }

    /// <summary>All rules.</summary>
    /// <param name="excuses">Whether an exception names a violation.</param>
    internal static IRule[] RulesOf(Func<Violation, bool> excuses) =>
    [
        new ReferenceRule(), new FolderCycleRule(excuses), new LayoutRule(), new PartialRule(),
        new LineRule(), new FileLengthRule(), new MethodLengthRule(), new ParameterRule(), new NameRule(),
        new StaticStateRule(), new NativeCallRule(), new UnsafeProjectRule(), new SafetyCommentRule(),
        new UnfinishedRule(), new TypeParameterRule(), new DocumentationRule(),
    ];

    private static int Wrap(string root, Repository repository)
    {
        foreach (SourceFile file in repository.Files)
            if (CommentWrap.Run(Path.Combine(root, file.Path)))
                Console.WriteLine($"comments wrapped: {file.Path}");
        return 0;
    }

    private static void Print(List<Violation> violations)
    {
        foreach (Violation violation in violations)
            Console.WriteLine($"{violation.Key}: {violation.Message}");
    }
}
