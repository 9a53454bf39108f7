using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using Cinnabar.Security.Users;
using Xunit;

namespace Cinnabar.Tests.Unit.Security;

/// <summary>How long a comparison of passwords takes cannot be tested; by what it is made can.</summary>
public sealed class PasswordHashTests
{
    private static readonly short[] s_plain =
        [OpCodes.Ldarg_0.Value, OpCodes.Ldarg_1.Value, OpCodes.Ret.Value];

    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    /// <summary>There is one comparison, of the time that the framework guarantees, and nothing else gets at
    /// the bytes.</summary>
    [Fact]
    public void HashesAreComparedInConstantTime()
    {
        MethodInfo matches = typeof(PasswordHash).GetMethod(nameof(PasswordHash.Matches))!;
        Assert.Equal(["op_Implicit", "op_Implicit", "FixedTimeEquals"], CallsOf(matches));
        Assert.Equal(["Matches", "Of", "Parse", "ToString"],
            typeof(PasswordHash).GetMethods(Declared).Select(static method => method.Name).Order());
        Assert.All(typeof(PasswordHash).GetFields(Declared), static field => Assert.True(
            field.IsPrivate));
    }

    [Theory]
    [InlineData("secret", "secret", true)]
    [InlineData("secret", "secreu", false)]
    [InlineData("secret", "Secret", false)]
    [InlineData("", "", true)]
    [InlineData("", "a", false)]
    public void APasswordMatchesItself(string one, string other, bool isSame)
    {
        PasswordHash hash = PasswordHash.Of(System.Text.Encoding.Latin1.GetBytes(one));
        Assert.Equal(isSame, hash.Matches(PasswordHash.Of(System.Text.Encoding.Latin1.GetBytes(other))));
        Assert.True(hash.Matches(PasswordHash.Parse(hash.ToString())!));
    }

    // The method is one expression without branches.
    private static List<string> CallsOf(MethodInfo method)
    {
        byte[] code = method.GetMethodBody()!.GetILAsByteArray()!;
        List<string> calls = [];
        for (int place = 0; place < code.Length;)
        {
            short opcode = code[place++];
            if (opcode == OpCodes.Call.Value)
                calls.Add(method.Module.ResolveMethod(BitConverter.ToInt32(code, place))!.Name);
            else if (opcode != OpCodes.Ldfld.Value)
                Assert.Contains(opcode, s_plain);
            place += opcode == OpCodes.Call.Value || opcode == OpCodes.Ldfld.Value ? sizeof(int) : 0;
        }

        return calls;
    }
}
