using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed unsafe class CommandTextTests
{
    private const byte Guard = 0xa5;

    [Fact]
    public void ArgumentsOfAnyLengthFillTheirRoomAndNoMore()
    {
        for (int length = 0; length < 1100; length++)
        {
            byte[] data = [.. Enumerable.Range(0, length).Select(index => (byte)(index * 7 + length))];
            byte[] expected = [.. Encoding.ASCII.GetBytes($"${length}\r\n"), .. data, .. "\r\n"u8];
            Assert.Equal(expected.Length, CommandText.LengthOfArgument(length));
            byte[] output = [.. Enumerable.Repeat(Guard, expected.Length + 16)];
            fixed (byte* start = output)
                Assert.True(CommandText.WriteArgument(start, data) == start + expected.Length);
            Assert.Equal(expected, output[..expected.Length]);
            Assert.Equal(-1, System.MemoryExtensions.IndexOfAnyExcept(output[expected.Length..], Guard));
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(12)]
    public void ACommandIsAnArrayOfItsArguments(int count)
    {
        List<string> words = [.. Enumerable.Range(0, count).Select(index => new string('x', index * 9))];
        string expected = $"*{count}\r\n"
            + string.Concat(words.Select(word => $"${word.Length}\r\n{word}\r\n"));
        byte[] bytes = Encoding.ASCII.GetBytes(new string('x', 9 * count));
        var items = stackalloc Argument[count];
        fixed (byte* data = bytes)
        {
            for (int index = 0; index < count; index++)
                items[index] = new Argument { Data = data, Length = words[index].Length };
            var arguments = new ArgumentList(items, count);
            Assert.Equal(expected.Length, CommandText.LengthOf(arguments));
            byte[] output = new byte[expected.Length];
            fixed (byte* start = output)
                Assert.True(CommandText.Write(start, arguments) == start + expected.Length);
            Assert.Equal(expected, Encoding.ASCII.GetString(output));
        }
    }
}
