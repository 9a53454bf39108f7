namespace Cinnabar.Transport.Uring;

/// <summary>What a ring is to be, and where its parts are (struct io_uring_params).</summary>
[StructLayout(LayoutKind.Explicit, Size = 120)]
internal struct UringParameters
{
    [FieldOffset(0)]
    public uint SubmissionCount;

    [FieldOffset(4)]
    public uint CompletionCount;

    [FieldOffset(8)]
    public uint Flags;

    [FieldOffset(20)]
    public uint Features;

    /// <summary>Offsets of the submission ring's parts.</summary>
    [FieldOffset(40)]
    public UringOffsets Submissions;

    /// <summary>Offsets of the completion ring's parts.</summary>
    [FieldOffset(80)]
    public UringOffsets Completions;
}
