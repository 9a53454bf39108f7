using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>DECR, DECRBY, INCR, INCRBY, INCRBYFLOAT.</summary>
public sealed class CounterCommandsTests
{
    [Fact]
    public void IntegersCount() => DataCommands.Play("""
        INCR n => :1
        @stored n => Int
        @events => IncrementBy n
        @changes => 1
        INCRBY n 41 => :42
        DECR n => :41
        DECRBY n -1 => :42
        @events => IncrementBy n, IncrementBy n, IncrementBy n
        DECRBY n 100 => :-58
        GET n => $"-58"
        DECR m => :-1
        INCRBY big 9223372036854775807 => :9223372036854775807
        INCR big => -ERR increment or decrement would overflow
        INCRBY big 1 => -ERR increment or decrement would overflow
        DECR big => :9223372036854775806
        SET low -9223372036854775808 => +OK
        DECR low => -ERR increment or decrement would overflow
        DECRBY low 1 => -ERR increment or decrement would overflow
        INCRBY low -1 => -ERR increment or decrement would overflow
        @changes => 0
        INCR low => :-9223372036854775807
        """);

    [Fact]
    public void RawDigitsBecomeIntegers() => DataCommands.Play("""
        SET n 10 => +OK
        APPEND n 5 => :3
        @stored n => Raw
        INCR n => :106
        @stored n => Int
        SET n " 1 => -ERR syntax error
        INCR n => :107
        SET n 1.0 => +OK
        INCR n => -ERR value is not an integer or out of range
        SET n "" => +OK
        INCR n => -ERR value is not an integer or out of range
        SET n abc => +OK
        INCRBY n 1 => -ERR value is not an integer or out of range
        SET n 9223372036854775808 => +OK
        INCR n => -ERR value is not an integer or out of range
        """);

    [Fact]
    public void IntegerErrorsInOrder() => DataCommands.Play("""
        @foreign L
        INCR L => -WRONGTYPE Operation against a key holding the wrong kind of value
        INCRBY L abc => -ERR value is not an integer or out of range
        DECRBY L abc => -ERR value is not an integer or out of range
        DECRBY L -9223372036854775808 => -ERR decrement would overflow
        INCRBY L 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        DECRBY nokey -9223372036854775808 => -ERR decrement would overflow
        DECRBY n -9223372036854775807 => :9223372036854775807
        SET n 1 => +OK
        DECRBY n -9223372036854775807 => -ERR increment or decrement would overflow
        INCRBY n 1.5 => -ERR value is not an integer or out of range
        INCRBY n 01 => -ERR value is not an integer or out of range
        INCRBY n "" => -ERR value is not an integer or out of range
        @changes => 0
        GET n => $"1"
        """);

    [Fact]
    public void FloatsAdd() => DataCommands.Play("""
        INCRBYFLOAT f 3.0e3 => $"3000"
        @stored f => Embstr
        @events => IncrementByFloat f
        @changes => 1
        INCRBYFLOAT f 0.1 => $"3000.10000000000000009"
        INCRBYFLOAT f -0x1 => $"2999.10000000000000009"
        INCRBYFLOAT f 1e-30 => $"2999.10000000000000009"
        SET f 1.0 => +OK
        INCRBYFLOAT f 1 => $"2"
        @stored f => Embstr
        INCRBYFLOAT f -2 => $"0"
        INCRBYFLOAT f -1e-20 => $"0"
        SET f 5.0e3 => +OK
        INCRBYFLOAT f 2.0e2 => $"5200"
        SET f 12345678901234567890 => +OK
        INCRBYFLOAT f 1 => $"12345678901234567891"
        SET f 10 => +OK
        INCRBYFLOAT f 1.5 => $"11.5"
        SET f 10 => +OK
        INCRBYFLOAT f 1 => $"11"
        @stored f => Embstr
        INCR f => :12
        @stored f => Int
        """);

    [Fact]
    public void FloatErrors() => DataCommands.Play("""
        @foreign L
        INCRBYFLOAT L 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        INCRBYFLOAT L abc => -WRONGTYPE Operation against a key holding the wrong kind of value
        INCRBYFLOAT nokey abc => -ERR value is not a valid float
        SET n abc => +OK
        INCRBYFLOAT n 1 => -ERR value is not a valid float
        INCRBYFLOAT n abc => -ERR value is not a valid float
        SET n 10 => +OK
        INCRBYFLOAT n nan => -ERR value is not a valid float
        INCRBYFLOAT n inf => -ERR increment would produce NaN or Infinity
        INCRBYFLOAT n -inf => -ERR increment would produce NaN or Infinity
        INCRBYFLOAT n "" => -ERR value is not a valid float
        INCRBYFLOAT n \s1 => -ERR value is not a valid float
        SET n \s1 => +OK
        INCRBYFLOAT n 1 => -ERR value is not a valid float
        SET n "" => +OK
        INCRBYFLOAT n 1 => -ERR value is not a valid float
        SET n inf => +OK
        INCRBYFLOAT n 1 => -ERR increment would produce NaN or Infinity
        @changes => 0
        """);
}
