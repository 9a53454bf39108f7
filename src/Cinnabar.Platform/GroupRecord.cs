namespace Cinnabar.Platform;

/// <summary>A group as the C library's <c>getgrnam</c> shows it, on Linux and macOS.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct GroupRecord
{
    internal byte* Name;
    internal byte* Password;
    internal uint Id;
    internal byte** Members;
}
