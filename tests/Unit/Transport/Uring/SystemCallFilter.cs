using System;
using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>Denies a system call to the calling thread and the threads that it starts, as the profiles of
/// containers do (seccomp).</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class SystemCallFilter
{
    private const int NoNewPrivileges = 38;
    private const int SetSeccomp = 22;
    private const nuint FilterMode = 2;
    private const ushort LoadWord = 0x20;
    private const ushort JumpIfEqual = 0x15;
    private const ushort Return = 0x06;
    private const uint Allow = 0x7FFF_0000;
    private const uint Fail = 0x0005_0000;

    /// <summary>Denies a call.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="error">What it answers, a number of errno.</param>
    public static void Deny(int number, int error)
    {
        // The number of the call is the first word that a filter sees.
        Instruction* instructions = stackalloc Instruction[4]
        {
            new(LoadWord, 0, 0, 0),
            new(JumpIfEqual, 0, 1, (uint)number),
            new(Return, 0, 0, Fail | (uint)error),
            new(Return, 0, 0, Allow),
        };
        var filter = new Filter { Count = 4, Instructions = instructions };
        if (Control(NoNewPrivileges, 1, null, 0, 0) != 0
            || Control(SetSeccomp, FilterMode, &filter, 0, 0) != 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Control(int option, nuint value, void* filter, nuint unused0, nuint unused1);

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Instruction(ushort code, byte ifTrue, byte ifFalse, uint value)
    {
        private readonly ushort _code = code;
        private readonly byte _ifTrue = ifTrue;
        private readonly byte _ifFalse = ifFalse;
        private readonly uint _value = value;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Filter
    {
        public ushort Count;
        public Instruction* Instructions;
    }
}
