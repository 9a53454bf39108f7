using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Numbers;

/// <summary>The library <c>math</c> of Lua 5.1. Its random numbers are those of POSIX's <c>lrand48</c>, so
/// that a script gives the same everywhere.</summary>
internal sealed class MathLibrary
{
    private const int RandomMax = int.MaxValue;
    private readonly Random48 _random = new();

    /// <summary>Seeds the random numbers.</summary>
    internal void Seed(int seed) => _random.Seed(seed);

    /// <summary>Opens the library.</summary>
    internal LuaTable Open(LuaMachine machine)
    {
        LuaTable table = LibraryTable.Make(machine,
        [
            ("abs", call => call.Return(Math.Abs(call.CheckNumber(0)))),
            ("acos", call => call.Return(Math.Acos(call.CheckNumber(0)))),
            ("asin", call => call.Return(Math.Asin(call.CheckNumber(0)))),
            ("atan", call => call.Return(Math.Atan(call.CheckNumber(0)))),
            ("atan2", Atan2),
            ("ceil", call => call.Return(Math.Ceiling(call.CheckNumber(0)))),
            ("cos", call => call.Return(Math.Cos(call.CheckNumber(0)))),
            ("cosh", call => call.Return(Math.Cosh(call.CheckNumber(0)))),
            ("deg", call => call.Return(call.CheckNumber(0) / (Math.PI / 180))),
            ("exp", call => call.Return(Math.Exp(call.CheckNumber(0)))),
            ("floor", call => call.Return(Math.Floor(call.CheckNumber(0)))),
            ("fmod", Remainder), ("mod", Remainder), ("frexp", Frexp), ("ldexp", Ldexp),
            ("log", call => call.Return(Math.Log(call.CheckNumber(0)))),
            ("log10", call => call.Return(Math.Log10(call.CheckNumber(0)))),
            ("max", Max), ("min", Min), ("modf", Modf),
            ("pow", Pow),
            ("rad", call => call.Return(call.CheckNumber(0) * (Math.PI / 180))),
            ("random", NextRandom), ("randomseed", SeedRandom),
            ("sin", call => call.Return(Math.Sin(call.CheckNumber(0)))),
            ("sinh", call => call.Return(Math.Sinh(call.CheckNumber(0)))),
            ("sqrt", call => call.Return(Math.Sqrt(call.CheckNumber(0)))),
            ("tan", call => call.Return(Math.Tan(call.CheckNumber(0)))),
            ("tanh", call => call.Return(Math.Tanh(call.CheckNumber(0)))),
        ]);
        table.Set("pi", Math.PI);
        table.Set("huge", double.PositiveInfinity);
        return table;
    }

    // Of two arguments the second is checked first, as in the C of the original on this processor.
    private static int Remainder(LuaCall call)
    {
        double divisor = call.CheckNumber(1);
        return call.Return(call.CheckNumber(0) % divisor);
    }

    private static int Atan2(LuaCall call)
    {
        double x = call.CheckNumber(1);
        return call.Return(Math.Atan2(call.CheckNumber(0), x));
    }

    private static int Pow(LuaCall call)
    {
        double power = call.CheckNumber(1);
        return call.Return(Math.Pow(call.CheckNumber(0), power));
    }

    private static int Frexp(LuaCall call)
    {
        double value = call.CheckNumber(0);
        if (value == 0 || !double.IsFinite(value)) return call.Return(value, 0.0);
        int exponent = Math.ILogB(value) + 1;
        return call.Return(Math.ScaleB(value, -exponent), (double)exponent);
    }

    private static int Ldexp(LuaCall call)
    {
        int exponent = call.CheckInt(1);
        return call.Return(Math.ScaleB(call.CheckNumber(0), exponent));
    }

    private static int Modf(LuaCall call)
    {
        double value = call.CheckNumber(0);
        double whole = Math.Truncate(value);
        double fraction = double.IsInfinity(value) ? 0 : value - whole;
        return call.Return(whole, Math.CopySign(fraction, value));
    }

    // A number that is not one never compares as greater: it stays where it is first.
    private static int Max(LuaCall call)
    {
        double max = call.CheckNumber(0);
        for (int i = 1; i < call.Count; i++)
        {
            double value = call.CheckNumber(i);
            if (value > max) max = value;
        }
        return call.Return(max);
    }

    private static int Min(LuaCall call)
    {
        double min = call.CheckNumber(0);
        for (int i = 1; i < call.Count; i++)
        {
            double value = call.CheckNumber(i);
            if (value < min) min = value;
        }
        return call.Return(min);
    }

    private int NextRandom(LuaCall call)
    {
        double random = _random.Next() % RandomMax / (double)RandomMax;
        int low, high;
        switch (call.Count)
        {
            case 0:
                return call.Return(random);
            case 1:
                high = call.CheckInt(0);
                if (high < 1) throw call.ArgumentError(0, "interval is empty");
                return call.Return(Math.Floor(random * high) + 1);
            case 2:
                low = call.CheckInt(0);
                high = call.CheckInt(1);
                if (low > high) throw call.ArgumentError(1, "interval is empty");
                // The size of the interval is an int in C.
                return call.Return(Math.Floor(random * unchecked(high - low + 1)) + low);
            default:
                throw call.Error("wrong number of arguments");
        }
    }

    private int SeedRandom(LuaCall call)
    {
        _random.Seed(call.CheckInt(0));
        return call.Return();
    }
}
