namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>TLS by the machine's OpenSSL 3 (docs/adr/0033).</summary>
internal sealed unsafe class OpenSslLibrary : ITlsLibrary
{
    private const int ErrorTextSize = 256;

    private readonly Lock _lock = new();
    private nint _streamMethod;

    public string? FindMissing()
    {
        foreach (string library in (string[])[CryptoCalls.Library, OpenSslCalls.Library])
        {
            // It stays loaded: the calls that follow find it again.
            if (!NativeLibrary.TryLoad(library, out nint _))
                return $"{library} (OpenSSL 3) is not installed";
        }

        return null;
    }

    public TlsSetup Load(TlsOptions options)
    {
        lock (_lock)
        {
            if (_streamMethod == 0)
                _streamMethod = OpenSslBio.MakeMethod();
        }

        return OpenSslSetup.Load(options, _streamMethod);
    }

    /// <summary>The thread's first error since they were cleared, in OpenSSL's words; clears them.</summary>
    public static string TakeError()
    {
        nuint error = CryptoCalls.TakeError();
        CryptoCalls.ClearErrors();
        if (error == 0)
            return "unknown error";
        byte* text = stackalloc byte[ErrorTextSize];
        CryptoCalls.ErrorText(error, text, ErrorTextSize);
        return Marshal.PtrToStringUTF8((nint)text)!;
    }
}
