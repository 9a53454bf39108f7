using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>Reads what INFO tells of certificates.</summary>
internal static unsafe class OpenSslCertificate
{
    private const long DayS = 86_400;

    /// <summary>The certificates of a file.</summary>
    /// <exception cref="TlsFailedException">There is none.</exception>
    public static List<TlsCertificate> Read(string path)
    {
        CryptoCalls.ClearErrors();
        nint file = CryptoCalls.BioNewFile(path, "r");
        if (file == 0)
            throw new TlsFailedException(
                $"Failed to load certificate: {path}: {OpenSslLibrary.TakeError()}");
        List<TlsCertificate> found = [];
        for (nint one; (one = CryptoCalls.ReadCertificate(file, 0, 0, 0)) != 0;)
        {
            found.Add(Describe(one));
            CryptoCalls.CertificateFree(one);
        }

        CryptoCalls.BioFree(file);
        if (found.Count == 0)
            throw new TlsFailedException(
                $"Failed to load certificate: {path}: {OpenSslLibrary.TakeError()}");
        // The end of the file is an error for OpenSSL.
        CryptoCalls.ClearErrors();
        return found;
    }

    /// <summary>Describes a certificate, which stays the caller's.</summary>
    public static TlsCertificate Describe(nint certificate)
    {
        Debug.Assert(certificate != 0, "there is a certificate");
        int days = 0;
        int seconds = 0;
        CryptoCalls.TimeDifference(&days, &seconds, 0, CryptoCalls.CertificateExpiry(certificate));
        long nowS = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        return new TlsCertificate(SerialOf(certificate), nowS + (days * DayS) + seconds);
    }

    private static string SerialOf(nint certificate)
    {
        nint number = CryptoCalls.IntegerToNumber(CryptoCalls.CertificateSerial(certificate), 0);
        if (number == 0)
            return "";
        byte* text = CryptoCalls.NumberToHex(number);
        CryptoCalls.NumberFree(number);
        string serial = Marshal.PtrToStringUTF8((nint)text) ?? "";
        CryptoCalls.Free(text, null, 0);
        return serial;
    }
}
