namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>OpenSSL's functions for errors, certificates and streams of bytes.</summary>
internal static unsafe partial class CryptoCalls
{
    internal const string Library = "libcrypto.so.3";
    internal const int BioTypeSource = 0x400;
    internal const int BioFlagRead = 1;
    internal const int BioFlagWrite = 2;
    internal const int BioFlagRetry = 8;
    internal const int BioControlFlush = 11;

    [LibraryImport(Library, EntryPoint = "ERR_clear_error")]
    internal static partial void ClearErrors();

    [LibraryImport(Library, EntryPoint = "ERR_get_error")]
    internal static partial nuint TakeError();

    [LibraryImport(Library, EntryPoint = "ERR_error_string_n")]
    internal static partial void ErrorText(nuint error, byte* text, nuint size);

    [LibraryImport(Library, EntryPoint = "BIO_get_new_index")]
    internal static partial int BioNewIndex();

    [LibraryImport(Library, EntryPoint = "BIO_meth_new")]
    internal static partial nint BioMethodNew(int type, byte* name);

    [LibraryImport(Library, EntryPoint = "BIO_meth_free")]
    internal static partial void BioMethodFree(nint method);

    [LibraryImport(Library, EntryPoint = "BIO_meth_set_read")]
    internal static partial int BioMethodSetRead(
        nint method, delegate* unmanaged<nint, byte*, int, int> read);

    [LibraryImport(Library, EntryPoint = "BIO_meth_set_write")]
    internal static partial int BioMethodSetWrite(
        nint method, delegate* unmanaged<nint, byte*, int, int> write);

    [LibraryImport(Library, EntryPoint = "BIO_meth_set_ctrl")]
    internal static partial int BioMethodSetControl(
        nint method, delegate* unmanaged<nint, int, nint, nint, nint> control);

    [LibraryImport(Library, EntryPoint = "BIO_new")]
    internal static partial nint BioNew(nint method);

    [LibraryImport(Library, EntryPoint = "BIO_up_ref")]
    internal static partial int BioAddReference(nint bio);

    [LibraryImport(Library, EntryPoint = "BIO_free")]
    internal static partial int BioFree(nint bio);

    [LibraryImport(Library, EntryPoint = "BIO_set_data")]
    internal static partial void BioSetData(nint bio, void* data);

    [LibraryImport(Library, EntryPoint = "BIO_get_data")]
    internal static partial void* BioData(nint bio);

    [LibraryImport(Library, EntryPoint = "BIO_set_init")]
    internal static partial void BioSetReady(nint bio, int isReady);

    [LibraryImport(Library, EntryPoint = "BIO_set_flags")]
    internal static partial void BioSetFlags(nint bio, int flags);

    [LibraryImport(Library, EntryPoint = "BIO_clear_flags")]
    internal static partial void BioClearFlags(nint bio, int flags);

    [LibraryImport(Library, EntryPoint = "BIO_new_file",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial nint BioNewFile(string file, string mode);

    [LibraryImport(Library, EntryPoint = "PEM_read_bio_Parameters")]
    internal static partial nint ReadParameters(nint bio, nint key);

    [LibraryImport(Library, EntryPoint = "PEM_read_bio_X509")]
    internal static partial nint ReadCertificate(nint bio, nint certificate, nint callback, nint data);

    [LibraryImport(Library, EntryPoint = "EVP_PKEY_free")]
    internal static partial void KeyFree(nint key);

    [LibraryImport(Library, EntryPoint = "X509_free")]
    internal static partial void CertificateFree(nint certificate);

    [LibraryImport(Library, EntryPoint = "X509_get0_serialNumber")]
    internal static partial nint CertificateSerial(nint certificate);

    [LibraryImport(Library, EntryPoint = "X509_get_subject_name")]
    internal static partial nint CertificateSubject(nint certificate);

    [LibraryImport(Library, EntryPoint = "X509_NAME_get_index_by_NID")]
    internal static partial int NameFind(nint name, int kind, int behind);

    [LibraryImport(Library, EntryPoint = "X509_NAME_get_entry")]
    internal static partial nint NameEntry(nint name, int index);

    [LibraryImport(Library, EntryPoint = "X509_NAME_ENTRY_get_data")]
    internal static partial nint NameText(nint entry);

    [LibraryImport(Library, EntryPoint = "X509_get_ext_d2i")]
    internal static partial nint CertificateExtension(nint certificate, int kind, nint critical, nint index);

    [LibraryImport(Library, EntryPoint = "OPENSSL_sk_num")]
    internal static partial int ListCount(nint list);

    [LibraryImport(Library, EntryPoint = "OPENSSL_sk_value")]
    internal static partial nint ListItem(nint list, int index);

    [LibraryImport(Library, EntryPoint = "GENERAL_NAME_get0_value")]
    internal static partial nint GeneralNameText(nint name, int* kind);

    [LibraryImport(Library, EntryPoint = "GENERAL_NAMES_free")]
    internal static partial void GeneralNamesFree(nint names);

    [LibraryImport(Library, EntryPoint = "ASN1_STRING_get0_data")]
    internal static partial byte* TextData(nint text);

    [LibraryImport(Library, EntryPoint = "ASN1_STRING_length")]
    internal static partial int TextLength(nint text);

    [LibraryImport(Library, EntryPoint = "X509_get0_notAfter")]
    internal static partial nint CertificateExpiry(nint certificate);

    [LibraryImport(Library, EntryPoint = "ASN1_TIME_diff")]
    internal static partial int TimeDifference(int* days, int* seconds, nint from, nint to);

    [LibraryImport(Library, EntryPoint = "ASN1_INTEGER_to_BN")]
    internal static partial nint IntegerToNumber(nint integer, nint number);

    [LibraryImport(Library, EntryPoint = "BN_bn2hex")]
    internal static partial byte* NumberToHex(nint number);

    [LibraryImport(Library, EntryPoint = "BN_free")]
    internal static partial void NumberFree(nint number);

    [LibraryImport(Library, EntryPoint = "CRYPTO_free")]
    internal static partial void Free(void* memory, byte* file, int line);
}
