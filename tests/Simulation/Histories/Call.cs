namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>One command of a history.</summary>
/// <param name="Kind">Which one.</param>
/// <param name="Keys">Its keys, by number.</param>
/// <param name="Values">The values it writes, one a key; empty where it writes none.</param>
public sealed record Call(CallKind Kind, int[] Keys, long[] Values)
{
    /// <summary>A command of one key.</summary>
    public static Call Of(CallKind kind, int key, params long[] values) => new(kind, [key], values);

    /// <inheritdoc/>
    public override string ToString() =>
        $"{Kind} {string.Join(' ', Keys)}{(Values.Length > 0 ? " = " + string.Join(' ', Values) : "")}";
}
