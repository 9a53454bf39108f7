using System.Runtime.InteropServices.Marshalling;

namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>Gives a text of the configuration, one char a byte, to native code as its bytes and a zero.
/// </summary>
[CustomMarshaller(typeof(string), MarshalMode.ManagedToUnmanagedIn, typeof(Latin1Marshaller))]
internal static unsafe class Latin1Marshaller
{
    /// <summary>Makes a copy that <see cref="Free"/> frees.</summary>
    public static byte* ConvertToUnmanaged(string? text)
    {
        if (text is null)
            return null;
        var bytes = (byte*)NativeMemory.Alloc((nuint)text.Length + 1);
        // SAFETY: there is room for a byte of each char and a zero.
        Encoding.Latin1.GetBytes(text, new Span<byte>(bytes, text.Length));
        bytes[text.Length] = 0;
        return bytes;
    }

    /// <summary>Frees a copy.</summary>
    public static void Free(byte* bytes) => NativeMemory.Free(bytes);
}
