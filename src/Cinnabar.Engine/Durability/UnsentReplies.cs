using System;
using System.Runtime.CompilerServices;
using System.Text;
using Cinnabar.Engine.Specs;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Durability;

/// <summary>Takes the replies to commands that no client sent, of a file or a master; keeps the text of the
/// last error for the log.</summary>
internal sealed class UnsentReplies : DiscardSink
{
    private byte[] _error = [];
    private int _length;

    /// <summary>What is said of a command that acts for a client, or on the server.</summary>
    public static ReadOnlySpan<byte> NotOfData => "ERR the command does not act on keys alone"u8;

    /// <summary>The last error, or of one in several pieces its beginning; without the minus.</summary>
    public ReadOnlySpan<byte> LastError => _error.AsSpan(0, _length);

    /// <summary>What is said of a command with too few arguments, or too many.</summary>
    public static byte[] WrongCount(CommandSpec spec) =>
        Encoding.Latin1.GetBytes($"ERR wrong number of arguments for '{spec.Name}' command");

    /// <summary>The end of the log's line about an error, which may name bytes of a file or a
    /// master.</summary>
    public static string Describe(ReadOnlySpan<byte> error, string command) =>
        $"'{Encoding.Latin1.GetString(error)}' after processing the command '{command}'"
            .Replace('\r', ' ').Replace('\n', ' ');

    /// <inheritdoc/>
    // Not inlined into the writer, which every reply passes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void NoteError(ReadOnlySpan<byte> text)
    {
        if (text.Length > _error.Length)
            _error = new byte[text.Length];
        text.CopyTo(_error);
        _length = text.Length;
    }
}
