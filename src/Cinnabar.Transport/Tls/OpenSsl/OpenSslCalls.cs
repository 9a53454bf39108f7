// The functions of OpenSSL 3. A library that is absent or older is found by OpenSslLibrary before any of them
// is called. Their documentation is in the manual pages of their names.

namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>OpenSSL's functions for connections and contexts.</summary>
internal static unsafe partial class OpenSslCalls
{
    internal const string Library = "libssl.so.3";
    internal const int FilePem = 1;
    internal const int ControlMode = 33;
    internal const int ControlSessionCacheSize = 42;
    internal const int ControlSessionCacheMode = 44;
    internal const int ControlServerName = 55;
    internal const int SessionCacheOff = 0;
    internal const int SessionCacheServer = 2;
    internal const int ModePartialWrite = 1;
    internal const int ModeMovingBuffer = 2;
    internal const int ModeReleaseBuffers = 0x10;
    internal const ulong OptionNoTicket = 1UL << 14;
    internal const ulong OptionNoCompression = 1UL << 17;
    internal const ulong OptionServerPreference = 1UL << 22;
    internal const ulong OptionNoTls10 = 1UL << 26;
    internal const ulong OptionNoTls12 = 1UL << 27;
    internal const ulong OptionNoTls11 = 1UL << 28;
    internal const ulong OptionNoTls13 = 1UL << 29;
    internal const ulong OptionNoRenegotiation = 1UL << 30;
    internal const int VerifyNone = 0;
    internal const int VerifyPeer = 1;
    internal const int VerifyRequired = 2;
    internal const int ErrorWantRead = 2;
    internal const int ErrorWantWrite = 3;
    internal const int ErrorEnded = 6;

    [LibraryImport(Library, EntryPoint = "TLS_server_method")]
    internal static partial nint ServerMethod();

    [LibraryImport(Library, EntryPoint = "TLS_client_method")]
    internal static partial nint ClientMethod();

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_default_verify_paths")]
    internal static partial int ContextUseSystemAuthorities(nint context);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_new")]
    internal static partial nint ContextNew(nint method);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_free")]
    internal static partial void ContextFree(nint context);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_ctrl")]
    internal static partial nint ContextControl(nint context, int command, nint number, nint pointer);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_options")]
    internal static partial ulong ContextSetOptions(nint context, ulong options);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_timeout")]
    internal static partial nint ContextSetTimeout(nint context, nint seconds);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_num_tickets")]
    internal static partial int ContextSetTicketCount(nint context, nint count);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_session_id_context")]
    internal static partial int ContextSetSessionIdContext(nint context, byte* id, uint length);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_verify")]
    internal static partial void ContextSetVerify(nint context, int mode, nint callback);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_load_verify_locations",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial int ContextLoadAuthorities(nint context, string? file, string? directory);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_default_passwd_cb")]
    internal static partial void ContextSetPasswordCallback(
        nint context, delegate* unmanaged<byte*, int, int, nint, int> callback);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_default_passwd_cb_userdata")]
    internal static partial void ContextSetPassword(nint context, byte* password);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_use_certificate_chain_file",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial int ContextUseCertificates(nint context, string file);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_use_PrivateKey_file",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial int ContextUseKey(nint context, string file, int kind);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_get0_certificate")]
    internal static partial nint ContextCertificate(nint context);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_get_cert_store")]
    internal static partial nint ContextStore(nint context);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_cipher_list",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial int ContextSetCiphers(nint context, string ciphers);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set_ciphersuites",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial int ContextSetSuites(nint context, string suites);

    [LibraryImport(Library, EntryPoint = "SSL_CTX_set0_tmp_dh_pkey")]
    internal static partial int ContextSetDhKey(nint context, nint key);

    [LibraryImport(Library, EntryPoint = "SSL_new")]
    internal static partial nint New(nint context);

    [LibraryImport(Library, EntryPoint = "SSL_free")]
    internal static partial void Free(nint ssl);

    [LibraryImport(Library, EntryPoint = "SSL_set_bio")]
    internal static partial void SetBio(nint ssl, nint read, nint write);

    [LibraryImport(Library, EntryPoint = "SSL_set_accept_state")]
    internal static partial void SetAcceptState(nint ssl);

    [LibraryImport(Library, EntryPoint = "SSL_set_connect_state")]
    internal static partial void SetConnectState(nint ssl);

    [LibraryImport(Library, EntryPoint = "SSL_ctrl",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial nint ControlText(nint ssl, int command, nint kind, string text);

    [LibraryImport(Library, EntryPoint = "SSL_set1_host",
        StringMarshalling = StringMarshalling.Custom,
        StringMarshallingCustomType = typeof(Latin1Marshaller))]
    internal static partial int SetPeerName(nint ssl, string name);

    [LibraryImport(Library, EntryPoint = "SSL_do_handshake")]
    internal static partial int Handshake(nint ssl);

    [LibraryImport(Library, EntryPoint = "SSL_read")]
    internal static partial int Read(nint ssl, byte* place, int room);

    [LibraryImport(Library, EntryPoint = "SSL_write")]
    internal static partial int Write(nint ssl, byte* data, int length);

    [LibraryImport(Library, EntryPoint = "SSL_get_error")]
    internal static partial int ErrorOf(nint ssl, int result);

    [LibraryImport(Library, EntryPoint = "SSL_session_reused")]
    internal static partial int IsSessionReused(nint ssl);

    [LibraryImport(Library, EntryPoint = "SSL_get1_peer_certificate")]
    internal static partial nint PeerCertificate(nint ssl);

    [LibraryImport(Library, EntryPoint = "SSL_shutdown")]
    internal static partial int Shutdown(nint ssl);
}
