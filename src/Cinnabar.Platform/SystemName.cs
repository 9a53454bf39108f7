namespace Cinnabar.Platform;

/// <summary>The system's name.</summary>
public static unsafe class SystemName
{
    // Six texts, of which the third is the release.
    private const int TextSize = 65;
    private const int TextCount = 6;

    /// <summary>
    /// System, release and machine, as <c>uname -srm</c> prints them: <c>Linux 6.1.0 x86_64</c>.
    /// </summary>
    public static string Full { get; } = $"{Name} {Release} {Machine}";

    private static string Name => OperatingSystem.IsLinux() ? "Linux"
        : OperatingSystem.IsMacOS() ? "Darwin"
        : OperatingSystem.IsWindows() ? "Windows"
        : Environment.OSVersion.Platform.ToString();

    private static string Release => OperatingSystem.IsLinux()
        ? ReadRelease()
        : Environment.OSVersion.Version.ToString();

    // A system call, not a file: INFO must also work when descriptors have run out.
    private static string ReadRelease()
    {
        byte* texts = stackalloc byte[TextCount * TextSize];
        // SAFETY: the call writes one structure to our stack, whose texts end with a zero.
        return LibC.NameSystem(texts) == 0 ? Marshal.PtrToStringUTF8((nint)(texts + (2 * TextSize)))! : "";
    }

    private static string Machine => RuntimeInformation.OSArchitecture switch
    {
        Architecture.X64 => "x86_64",
        Architecture.X86 => "i686",
        Architecture.Arm64 => OperatingSystem.IsMacOS() ? "arm64" : "aarch64",
        Architecture other => other.ToString().ToLowerInvariant(),
    };
}
