namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>The names in a certificate, one char a byte. A name with a zero byte is left out: other programs
/// would take it for a shorter one.</summary>
internal static unsafe class OpenSslNames
{
    private const int KindCommonName = 13;
    private const int KindAlternativeNames = 85;
    private const int GeneralNameUri = 6;

    /// <summary>The common name of the subject: the first, if there are several.</summary>
    public static List<string> CommonNames(nint certificate)
    {
        List<string> names = [];
        nint subject = CryptoCalls.CertificateSubject(certificate);
        int index = subject == 0 ? -1 : CryptoCalls.NameFind(subject, KindCommonName, -1);
        if (index >= 0)
            Add(names, CryptoCalls.NameText(CryptoCalls.NameEntry(subject, index)));
        return names;
    }

    /// <summary>The URIs among the alternative names of the subject.</summary>
    public static List<string> Uris(nint certificate)
    {
        List<string> names = [];
        nint list = CryptoCalls.CertificateExtension(certificate, KindAlternativeNames, 0, 0);
        if (list == 0)
            return names;
        for (int index = 0; index < CryptoCalls.ListCount(list); index++)
        {
            int kind = 0;
            nint text = CryptoCalls.GeneralNameText(CryptoCalls.ListItem(list, index), &kind);
            if (kind == GeneralNameUri)
                Add(names, text);
        }

        CryptoCalls.GeneralNamesFree(list);
        return names;
    }

    private static void Add(List<string> names, nint text)
    {
        // SAFETY: the certificate that the text is of lives while its names are copied.
        var bytes = new ReadOnlySpan<byte>(CryptoCalls.TextData(text), CryptoCalls.TextLength(text));
        if (!bytes.IsEmpty && !bytes.Contains((byte)0))
            names.Add(Encoding.Latin1.GetString(bytes));
    }
}
