// Libraries of functions in an append-only file. They cannot be run yet, but are kept and saved again, as
// those of a snapshot are: so FUNCTION LOAD, DELETE and FLUSH change a list, and all other commands go on to
// what executes them.

using System.Linq;
using Cinnabar.Persistence.Journal.Loading;

namespace Cinnabar.Engine.Durability;

/// <summary>Keeps the libraries that recorded commands load.</summary>
/// <param name="commands">Executes the other commands.</param>
/// <param name="loading">Has the libraries.</param>
internal sealed class FunctionReplay(ICommandReplay commands, DataLoading loading) : ICommandReplay
{
    private readonly ICommandReplay _commands = commands;
    private readonly DataLoading _loading = loading;

    /// <inheritdoc/>
    public bool TryReplay(ArgumentList arguments)
    {
        if (arguments.Count < 2 || !Is(arguments, 0, "FUNCTION"u8))
            return _commands.TryReplay(arguments);
        if (arguments.Count >= 3 && Is(arguments, 1, "LOAD"u8))
            Load(arguments[arguments.Count - 1].Span);
        else if (arguments.Count == 3 && Is(arguments, 1, "DELETE"u8))
            Delete(arguments[2].Span);
        else if (Is(arguments, 1, "FLUSH"u8))
            _loading.Functions = [];
        else
            return _commands.TryReplay(arguments);
        return true;
    }

    // A library with the same name is replaced: without REPLACE the command would not have been recorded.
    private void Load(ReadOnlySpan<byte> code)
    {
        Delete(NameOf(code));
        _loading.Functions = [.. _loading.Functions, code.ToArray()];
    }

    private void Delete(ReadOnlySpan<byte> name)
    {
        List<byte[]> kept = [];
        foreach (byte[] code in _loading.Functions)
        {
            if (!NameOf(code).SequenceEqual(name))
                kept.Add(code);
        }

        _loading.Functions = [.. kept];
    }

    // From the first line: #!lua name=library
    private static ReadOnlySpan<byte> NameOf(ReadOnlySpan<byte> code)
    {
        int end = code.IndexOf((byte)'\n');
        ReadOnlySpan<byte> line = end < 0 ? code : code[..end];
        int start = line.IndexOf("name="u8);
        if (start < 0)
            return default;
        line = line[(start + "name="u8.Length)..];
        int length = line.IndexOfAny(" \t\r"u8);
        return length < 0 ? line : line[..length];
    }

    private static bool Is(ArgumentList arguments, int index, ReadOnlySpan<byte> word) =>
        System.Text.Ascii.EqualsIgnoreCase(arguments[index].Span, word);
}
