using System.Formats.Asn1;
using System.Security.Cryptography.X509Certificates;

namespace Cinnabar.Transport.Tls.Framework;

/// <summary>The names in a certificate, one char a byte. A name with a zero byte is left out: other programs
/// would take it for a shorter one.</summary>
internal static class CertificateNames
{
    private const string CommonNameId = "2.5.4.3";
    private const string AlternativeNamesId = "2.5.29.17";
    private const int UriTag = 6;

    /// <summary>The common name of the subject: the first, if there are several.</summary>
    public static List<string> CommonNames(X509Certificate2 certificate)
    {
        List<string> names = [];
        foreach (X500RelativeDistinguishedName part in
            certificate.SubjectName.EnumerateRelativeDistinguishedNames(reversed: false))
        {
            if (!part.HasMultipleElements && part.GetSingleElementType().Value == CommonNameId)
            {
                Add(names, part.GetSingleElementValue());
                break;
            }
        }

        return names;
    }

    /// <summary>The URIs among the alternative names of the subject.</summary>
    public static List<string> Uris(X509Certificate2 certificate)
    {
        List<string> names = [];
        if (certificate.Extensions[AlternativeNamesId] is not { } extension)
            return names;
        AsnReader reader = new AsnReader(extension.RawData, AsnEncodingRules.DER).ReadSequence();
        while (reader.HasData)
        {
            Asn1Tag tag = reader.PeekTag();
            if (tag.TagClass == TagClass.ContextSpecific && tag.TagValue == UriTag)
                Add(names, reader.ReadCharacterString(UniversalTagNumber.IA5String, tag));
            else
                reader.ReadEncodedValue();
        }

        return names;
    }

    private static void Add(List<string> names, string? name)
    {
        if (!string.IsNullOrEmpty(name) && !name.Contains('\0', StringComparison.Ordinal))
            names.Add(Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(name)));
    }
}
