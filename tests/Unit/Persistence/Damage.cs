using System;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Damages bytes at random: bits, bytes, digits, parts that are missing, repeated or zero.</summary>
internal static class Damage
{
    private const int ChangeCountMax = 3;

    /// <summary>A damaged copy.</summary>
    public static byte[] Of(Random random, byte[] whole)
    {
        byte[] bytes = [.. whole];
        for (int left = random.Next(1, ChangeCountMax + 1); left > 0 && bytes.Length > 0; left--)
        {
            int at = random.Next(bytes.Length);
            int end = Math.Min(bytes.Length, at + random.Next(1, 40));
            switch (random.Next(7))
            {
                case 0:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 2:
                    bytes[at] = (byte)random.Next('0', '9' + 1);
                    break;
                case 3:
                    bytes = bytes[..at];
                    break;
                case 4:
                    bytes = [.. bytes[..at], .. bytes[end..]];
                    break;
                case 5:
                    bytes = [.. bytes[..end], .. bytes[at..]];
                    break;
                default:
                    bytes.AsSpan(at..end).Clear();
                    break;
            }
        }

        return bytes;
    }
}
