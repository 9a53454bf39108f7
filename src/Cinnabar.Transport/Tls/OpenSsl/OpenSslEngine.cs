using Cinnabar.Engine.Configuration;

namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>The protocol of one connection by OpenSSL.</summary>
/// <param name="ssl">Its connection, which this object frees.</param>
/// <param name="method">The kind of streams, of <see cref="OpenSslBio.MakeMethod"/>.</param>
internal sealed unsafe class OpenSslEngine(nint ssl, nint method) : TlsEngine
{
    private readonly nint _method = method;
    private nint _ssl = ssl;
    private TlsPipe? _pipe;

    ~OpenSslEngine() => Free();

    public override bool IsResumed => OpenSslCalls.IsSessionReused(_ssl) == 1;

    public override void Use(TlsPipe pipe)
    {
        Debug.Assert(_ssl != 0, "an ended connection is not used");
        if (_pipe == pipe)
            return;
        _pipe = pipe;
        OpenSslBio.Of(pipe, _method).GiveTo(_ssl);
    }

    public override TlsStep Handshake()
    {
        CryptoCalls.ClearErrors();
        int result = OpenSslCalls.Handshake(_ssl);
        if (result == 1)
            return TlsStep.Done;
        if (IsWaiting(result))
            return TlsStep.NeedsInput;
        Fault = OpenSslLibrary.TakeError();
        return TlsStep.Failed;
    }

    public override int Decrypt(byte* place, int room)
    {
        // Its errors are in a queue of the thread, which must be empty for ErrorOf.
        CryptoCalls.ClearErrors();
        int count = OpenSslCalls.Read(_ssl, place, room);
        if (count > 0)
            return count;
        int error = OpenSslCalls.ErrorOf(_ssl, count);
        if (error is OpenSslCalls.ErrorWantRead or OpenSslCalls.ErrorWantWrite)
            return Nothing;
        if (error == OpenSslCalls.ErrorEnded)
            return Ended;
        Fault = OpenSslLibrary.TakeError();
        return Failed;
    }

    public override bool TryEncrypt(byte* data, int length)
    {
        Debug.Assert(length is > 0 and <= TlsPipe.RecordPlainMax && _pipe!.HasRoomForRecord);
        CryptoCalls.ClearErrors();
        int count = OpenSslCalls.Write(_ssl, data, length);
        if (count == length)
            return true;
        Fault = OpenSslLibrary.TakeError();
        return false;
    }

    public override void End()
    {
        CryptoCalls.ClearErrors();
        OpenSslCalls.Shutdown(_ssl);
    }

    public override IReadOnlyList<string>? PeerNames(CertificateUser which)
    {
        nint certificate = OpenSslCalls.PeerCertificate(_ssl);
        if (certificate == 0)
            return null;
        List<string> names = which == CertificateUser.CommonName
            ? OpenSslNames.CommonNames(certificate)
            : OpenSslNames.Uris(certificate);
        CryptoCalls.CertificateFree(certificate);
        return names;
    }

    public override void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    private bool IsWaiting(int result) =>
        OpenSslCalls.ErrorOf(_ssl, result) is OpenSslCalls.ErrorWantRead or OpenSslCalls.ErrorWantWrite;

    private void Free()
    {
        if (_ssl != 0)
            OpenSslCalls.Free(_ssl);
        _ssl = 0;
    }
}
