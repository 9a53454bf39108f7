using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>A configuration of OpenSSL. All directives are honoured.</summary>
internal sealed unsafe class OpenSslSetup : TlsSetup
{
    private readonly nint _method;
    private readonly TlsOptions _options;
    private nint _context;

    private OpenSslSetup(nint context, nint method, TlsOptions options) =>
        (_context, _method, _options) = (context, method, options);

    ~OpenSslSetup() => Free();

    /// <summary>Loads the files and makes a context.</summary>
    /// <param name="options">The directives.</param>
    /// <param name="method">The kind of streams, of <see cref="OpenSslBio.MakeMethod"/>.</param>
    /// <exception cref="TlsFailedException">A file or a directive is wrong.</exception>
    public static OpenSslSetup Load(TlsOptions options, nint method)
    {
        options.CheckNames();
        CryptoCalls.ClearErrors();
        nint context = OpenSslCalls.ContextNew(
            options.IsClient ? OpenSslCalls.ClientMethod() : OpenSslCalls.ServerMethod());
        if (context == 0)
            throw new TlsFailedException($"Failed to create an SSL_CTX: {OpenSslLibrary.TakeError()}");
        try
        {
            SetProtocol(context, options);
            if (options.CertificateFile.Length > 0)
                LoadCertificate(context, options);
            LoadAuthorities(context, options);
            SetCiphers(context, options);
            return new OpenSslSetup(context, method, options) { Certificates = Describe(context, options) };
        }
        catch
        {
            OpenSslCalls.ContextFree(context);
            throw;
        }
    }

    public override TlsEngine MakeEngine()
    {
        nint ssl = OpenSslCalls.New(_context);
        if (ssl == 0)
            throw new OutOfMemoryException();
        if (_options.IsClient)
            BecomeClient(ssl);
        else
            OpenSslCalls.SetAcceptState(ssl);
        return new OpenSslEngine(ssl, _method);
    }

    public override void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    // A name is told the peer, who may have several; an address is not.
    private void BecomeClient(nint ssl)
    {
        OpenSslCalls.SetConnectState(ssl);
        string name = _options.PeerName;
        if (name.Length > 0 && !System.Net.IPAddress.TryParse(name, out _))
            OpenSslCalls.ControlText(ssl, OpenSslCalls.ControlServerName, 0, name);
        if (_options.IsPeerNameChecked && OpenSslCalls.SetPeerName(ssl, name) != 1)
            throw new TlsFailedException($"The name {name} cannot be checked: {OpenSslLibrary.TakeError()}");
    }

    private static void SetProtocol(nint context, TlsOptions options)
    {
        ulong bits = OpenSslCalls.OptionNoCompression | OpenSslCalls.OptionNoRenegotiation;
        bits |= (options.Versions & TlsVersions.Tls10) != 0 ? 0 : OpenSslCalls.OptionNoTls10;
        bits |= (options.Versions & TlsVersions.Tls11) != 0 ? 0 : OpenSslCalls.OptionNoTls11;
        bits |= (options.Versions & TlsVersions.Tls12) != 0 ? 0 : OpenSslCalls.OptionNoTls12;
        bits |= (options.Versions & TlsVersions.Tls13) != 0 ? 0 : OpenSslCalls.OptionNoTls13;
        bits |= options.IsServerPreferred ? OpenSslCalls.OptionServerPreference : 0;
        bits |= options.CachesSessions ? 0 : OpenSslCalls.OptionNoTicket;
        OpenSslCalls.ContextSetOptions(context, bits);
        OpenSslCalls.ContextControl(context, OpenSslCalls.ControlMode, OpenSslCalls.ModePartialWrite
            | OpenSslCalls.ModeMovingBuffer | OpenSslCalls.ModeReleaseBuffers, 0);
        if (!options.CachesSessions)
        {
            OpenSslCalls.ContextControl(
                context, OpenSslCalls.ControlSessionCacheMode, OpenSslCalls.SessionCacheOff, 0);
            OpenSslCalls.ContextSetTicketCount(context, 0);
            return;
        }

        OpenSslCalls.ContextControl(
            context, OpenSslCalls.ControlSessionCacheMode, OpenSslCalls.SessionCacheServer, 0);
        OpenSslCalls.ContextControl(
            context, OpenSslCalls.ControlSessionCacheSize, (nint)options.SessionCountMax, 0);
        OpenSslCalls.ContextSetTimeout(context, (nint)options.SessionSeconds);
        fixed (byte* name = "cinnabar"u8)
            OpenSslCalls.ContextSetSessionIdContext(context, name, (uint)"cinnabar"u8.Length);
    }

    private static void LoadCertificate(nint context, TlsOptions options)
    {
        string path = options.CertificateFile;
        if (OpenSslCalls.ContextUseCertificates(context, path) != 1)
            throw new TlsFailedException(
                $"Failed to load certificate: {path}: {OpenSslLibrary.TakeError()}");
        byte* password = Latin1Marshaller.ConvertToUnmanaged(options.KeyPassword);
        try
        {
            OpenSslCalls.ContextSetPasswordCallback(context, &CopyPassword);
            OpenSslCalls.ContextSetPassword(context, password);
            if (OpenSslCalls.ContextUseKey(context, options.KeyFile, OpenSslCalls.FilePem) != 1)
                throw new TlsFailedException(
                    $"Failed to load private key: {options.KeyFile}: {OpenSslLibrary.TakeError()}");
        }
        finally
        {
            OpenSslCalls.ContextSetPassword(context, null);
            OpenSslCalls.ContextSetPasswordCallback(context, null);
            // SAFETY: the copy has as many bytes as the text has chars.
            CryptographicErase(new Span<byte>(password, options.KeyPassword.Length));
            Latin1Marshaller.Free(password);
        }
    }

    private static void LoadAuthorities(nint context, TlsOptions options)
    {
        (string file, string directory) = (options.AuthorityFile, options.AuthorityDirectory);
        if ((file.Length > 0 || directory.Length > 0) && OpenSslCalls.ContextLoadAuthorities(context,
            file.Length > 0 ? file : null, directory.Length > 0 ? directory : null) != 1)
            throw new TlsFailedException(
                $"Failed to configure CA certificate(s) file/directory: {OpenSslLibrary.TakeError()}");
        if (options.IsPeerNameChecked && OpenSslCalls.ContextUseSystemAuthorities(context) != 1)
            throw new TlsFailedException(
                $"Failed to load the system's CA certificates: {OpenSslLibrary.TakeError()}");
        OpenSslCalls.ContextSetVerify(context, options.ClientDemand switch
        {
            TlsClientDemand.Required => OpenSslCalls.VerifyPeer | OpenSslCalls.VerifyRequired,
            TlsClientDemand.Optional => OpenSslCalls.VerifyPeer,
            _ => OpenSslCalls.VerifyNone,
        }, 0);
    }

    private static void SetCiphers(nint context, TlsOptions options)
    {
        if (options.DhFile.Length > 0)
            LoadDh(context, options.DhFile);
        if (options.Ciphers.Length > 0 && OpenSslCalls.ContextSetCiphers(context, options.Ciphers) != 1)
            throw new TlsFailedException($"Failed to configure ciphers: {options.Ciphers}");
        if (options.Suites.Length > 0 && OpenSslCalls.ContextSetSuites(context, options.Suites) != 1)
            throw new TlsFailedException($"Failed to configure ciphersuites: {options.Suites}");
    }

    private static void LoadDh(nint context, string path)
    {
        nint file = CryptoCalls.BioNewFile(path, "r");
        nint key = file == 0 ? 0 : CryptoCalls.ReadParameters(file, 0);
        if (file != 0)
            CryptoCalls.BioFree(file);
        if (key != 0 && OpenSslCalls.ContextSetDhKey(context, key) == 1)
            return;
        string fault = OpenSslLibrary.TakeError();
        if (key != 0)
            CryptoCalls.KeyFree(key);
        throw new TlsFailedException($"Failed to load DH params file: {path}: {fault}");
    }

    private static TlsCertificates Describe(nint context, TlsOptions options)
    {
        if (options.IsClient)
            return new TlsCertificates(null, null, null);
        string client = options.ClientCertificateFile;
        return new TlsCertificates(
            OpenSslCertificate.Describe(OpenSslCalls.ContextCertificate(context)),
            client.Length > 0 ? OpenSslCertificate.Read(client)[0] : null,
            options.AuthorityFile.Length > 0 ? FirstToExpire(OpenSslCertificate.Read(options.AuthorityFile))
                : null);
    }

    private static TlsCertificate FirstToExpire(List<TlsCertificate> certificates)
    {
        TlsCertificate first = certificates[0];
        foreach (TlsCertificate certificate in certificates)
            first = certificate.ExpiryUnixS < first.ExpiryUnixS ? certificate : first;
        return first;
    }

    private static void CryptographicErase(Span<byte> secret)
    {
        secret.Clear();
        // The copy is freed next: without this the compiler might leave the clearing out.
        Volatile.Write(ref MemoryMarshal.GetReference(secret), 0);
    }

    /// <summary>Copies the pass phrase of the private key.</summary>
    [UnmanagedCallersOnly]
    private static int CopyPassword(byte* place, int room, int isWriting, nint password)
    {
        var text = (byte*)password;
        if (text is null)
            return 0;
        int length = 0;
        while (text[length] != 0)
            length++;
        if (length > room)
            return 0;
        Buffer.MemoryCopy(text, place, room, length);
        return length;
    }

    private void Free()
    {
        if (_context != 0)
            OpenSslCalls.ContextFree(_context);
        _context = 0;
    }
}
