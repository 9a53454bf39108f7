namespace Cinnabar.Engine.Sessions;

/// <summary>What INFO tells of a certificate.</summary>
/// <param name="Serial">Its serial number, hexadecimal.</param>
/// <param name="ExpiryUnixS">When it expires, Unix time in seconds.</param>
public sealed record TlsCertificate(string Serial, long ExpiryUnixS);
