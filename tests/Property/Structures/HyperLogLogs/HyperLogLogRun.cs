using System;
using System.Linq;
using Cinnabar.Structures.HyperLogLogs;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.HyperLogLogs;

/// <summary>Two HyperLogLogs, of which the second is merged into the first now and then, and arrays of their
/// registers.</summary>
internal sealed class HyperLogLogRun : IDisposable
{
    private readonly Draws _draws;
    private readonly HyperLogLogMemory _log;
    private readonly HyperLogLogMemory _other = new();
    private readonly byte[] _model = new byte[HyperLogLog.RegisterCount];
    private readonly byte[] _otherModel = new byte[HyperLogLog.RegisterCount];

    public HyperLogLogRun(Draws draws)
    {
        _draws = draws;
        _log = new HyperLogLogMemory(draws.Below(3000) + HyperLogLog.HeaderSize);
    }

    /// <summary>A register and what it is raised to: mostly low ones, as elements have them.</summary>
    public static (int Register, int Value) RandomUpdate(Draws draws)
    {
        int range = draws.Below(2) == 0 ? 64 : HyperLogLog.RegisterCount;
        int value = draws.Below(250) == 1 ? draws.Below(63) + 1 : draws.Below(4) + 1;
        return (draws.Below(range), value);
    }

    public void Steps(int count)
    {
        for (int step = 0; step < count && !_draws.HasEnded; step++)
        {
            Step();
            _draws.Mark(HyperLogLog.IsDense(_log.Value) ? 0 : long.Log2(_log.Value.Length));
        }
    }

    public void MakeDense()
    {
        if (!HyperLogLog.IsDense(_log.Value)) Assert.True(_log.MakeDense());
    }

    /// <summary>Compares all that can be read.</summary>
    public void Check()
    {
        byte[] registers = new byte[HyperLogLog.RegisterCount];
        var union = new HyperLogLogUnion(registers);
        Assert.True(union.TryAdd(_log.Value));
        Assert.Equal(_model, registers);
        int[] histogram = new int[RegisterHistogram.Length];
        RegisterHistogram.CountInto(registers, histogram);
        for (int value = 0; value < histogram.Length; value++)
            Assert.Equal(_model.Count(register => register == value), histogram[value]);
        Assert.True(HyperLogLog.TryCount(_log.Value, out ulong count));
        Assert.Equal(HyperLogLogEstimate.FromHistogram(histogram), count);
        Assert.Equal(count, union.Count());
        if (HyperLogLog.IsDense(_log.Value)) CheckDense();
    }

    public void Dispose()
    {
        _log.Dispose();
        _other.Dispose();
    }

    private void Step()
    {
        (int register, int value) = RandomUpdate(_draws);
        switch (_draws.Below(128))
        {
            case 1:
                Merge();
                break;
            case 2 when _draws.Below(8) == 1:
                MakeDense();
                break;
            case < 16:
                Raise(_other, _otherModel, register, value);
                break;
            default:
                Raise(_log, _model, register, value);
                break;
        }
    }

    private static void Raise(HyperLogLogMemory log, byte[] model, int register, int value)
    {
        Assert.Equal(model[register] < value, log.Raise(register, value));
        model[register] = Math.Max(model[register], (byte)value);
    }

    private void Merge()
    {
        var union = new HyperLogLogUnion(new byte[HyperLogLog.RegisterCount]);
        Assert.True(union.TryAdd(_log.Value));
        Assert.True(union.TryAdd(_other.Value));
        _log.Merge(union);
        for (int register = 0; register < _model.Length; register++)
            _model[register] = Math.Max(_model[register], _otherModel[register]);
        Assert.Equal(_model, union.Registers.ToArray());
    }

    private void CheckDense()
    {
        byte[] packed = new byte[DenseRegisters.Size];
        for (int register = 0; register < _model.Length; register++)
        {
            DenseRegisters.Set(packed, register, 63);
            DenseRegisters.Set(packed, register, _model[register]);
            Assert.Equal(_model[register], DenseRegisters.Get(packed, register));
        }

        Assert.Equal(packed, _log.Value[HyperLogLog.HeaderSize..].ToArray());
    }
}
