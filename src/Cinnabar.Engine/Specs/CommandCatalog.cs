using Cinnabar.Engine.Generated;

namespace Cinnabar.Engine.Specs;

/// <summary>The specs of all commands: read once a process from the generated table, never changed.</summary>
internal static class CommandCatalog
{
    private static readonly CommandSpec[] s_specs = Read();

    /// <summary>All commands and subcommands; the index is the id, and 0 is not used.</summary>
    public static ReadOnlySpan<CommandSpec> Specs => s_specs;

    /// <summary>The same without that place.</summary>
    public static IReadOnlyList<CommandSpec> All =>
        new ArraySegment<CommandSpec>(s_specs, 1, s_specs.Length - 1);

    private static CommandSpec[] Read()
    {
        var table = new SpecTree(SpecTexts.Table);
        var specs = new CommandSpec[table.Array() + 1];
        var handlers = new nint[specs.Length];
        SpecHandlers.Fill(handlers);
        var outcomes = new nint[specs.Length];
        SpecHandlers.FillOutcomes(outcomes);
        var lookaheads = new nint[specs.Length];
        SpecHandlers.FillLookaheads(lookaheads);
        var choosers = new nint[specs.Length];
        SpecHandlers.FillLockChoosers(choosers);
        var allIfs = new nint[specs.Length];
        SpecHandlers.FillLockAllIfs(allIfs);
        for (int id = 1; id < specs.Length; id++)
        {
            var spec = new CommandSpec((CommandId)id, ref table, specs)
            {
                HandlerAddress = handlers[id] != 0 ? handlers[id] : outcomes[id],
                HasOutcome = outcomes[id] != 0,
                LookaheadAddress = lookaheads[id],
                LockChooserAddress = choosers[id],
                LockAllIfAddress = allIfs[id],
            };
            specs[id] = spec;
            spec.Parent?.AddSubcommand(spec);
        }

        foreach (CommandSpec spec in specs.AsSpan(1))
            spec.Complete();
        return specs;
    }
}
