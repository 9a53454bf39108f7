using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Cinnabar.Tests.EndToEnd.Native;

/// <summary>The functions of a native binary and what each of them calls: symbols by nm, instructions by
/// objdump.</summary>
internal sealed partial class MachineCode
{
    private readonly ulong[] _addresses;
    private readonly string[] _names;
    private readonly Dictionary<string, List<Instruction>> _functions = [];

    /// <summary>Reads a binary.</summary>
    /// <param name="program">Its path; its symbols are in a file beside it.</param>
    public MachineCode(string program)
    {
        var symbols = new SortedDictionary<ulong, string>();
        foreach (string line in Lines("nm", "--defined-only", program + ".dbg"))
        {
            string[] words = line.Split(' ', 3);
            if (words is [{ Length: 16 }, "t" or "T", _])
                symbols.TryAdd(Number(words[0]), words[2]);
        }

        _addresses = [.. symbols.Keys];
        _names = [.. symbols.Values];
        foreach (string line in Lines("objdump", "-d", "--no-show-raw-insn", program))
        {
            Match match = InstructionLine().Match(line);
            if (!match.Success)
                continue;
            string function = NameAt(Number(match.Groups[1].Value));
            if (!_functions.TryGetValue(function, out List<Instruction>? body))
                _functions[function] = body = [];
            string operation = match.Groups[2].Value;
            bool isTransfer = operation[0] == 'j' || operation.StartsWith("call", StringComparison.Ordinal);
            string target = isTransfer && Address().IsMatch(match.Groups[3].Value)
                ? NameAt(Number(match.Groups[3].Value)) : "";
            body.Add(new Instruction(operation, target));
        }
    }

    /// <summary>The names of the functions.</summary>
    public IEnumerable<string> Functions => _functions.Keys;

    /// <summary>The instructions of a function.</summary>
    public IReadOnlyList<Instruction> BodyOf(string function) => _functions.GetValueOrDefault(function) ?? [];

    private static string[] Lines(string program, params string[] arguments) =>
        ProgramResult.Of(program, arguments).Output.Split('\n');

    private static ulong Number(string text) =>
        ulong.Parse(text, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private string NameAt(ulong address)
    {
        int index = Array.BinarySearch(_addresses, address);
        index = index < 0 ? ~index - 1 : index;
        return index < 0 ? "" : _names[index];
    }

    [GeneratedRegex(@"^\s*([0-9a-f]+):\s+(\S+)\s*(\S*)")]
    private static partial Regex InstructionLine();

    [GeneratedRegex("^[0-9a-f]+$")]
    private static partial Regex Address();

    /// <summary>An instruction.</summary>
    /// <param name="Operation">As objdump writes it.</param>
    /// <param name="Target">The function that it goes to; empty: none that is known.</param>
    internal readonly record struct Instruction(string Operation, string Target);
}
