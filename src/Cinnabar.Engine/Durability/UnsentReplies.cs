using System;
using System.Runtime.CompilerServices;
using System.Text;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Durability;

/// <summary>Takes the replies to commands that no client sent, of a file or a master; keeps the text of the
/// last error for the log.</summary>
internal sealed class UnsentReplies : DiscardSink
{
    /// <summary>The last error, or of one in several pieces its beginning; without the minus.</summary>
    public string LastError { get; private set; } = "";

    /// <inheritdoc/>
    // Not inlined into the writer, which every reply passes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void NoteError(ReadOnlySpan<byte> text) => LastError = Encoding.Latin1.GetString(text);
}
