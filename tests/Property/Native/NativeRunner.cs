// xunit cannot run in a program that is compiled ahead: this runs its facts and theories there, one after the
// other. The program's own assembly is kept whole for that (TrimmerRootAssembly).
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Cinnabar.Structures.Streams;
using Xunit;
using Xunit.v3;

namespace Cinnabar.Tests.Property.Native;

/// <summary>The entry of the native property tests.</summary>
internal static class NativeRunner
{
    private const string SkipMark = "$XunitDynamicSkip$";

    private static int Main(string[] arguments)
    {
        // xunit's assertions make those of structures by reflection only.
        GC.KeepAlive(Xunit.Sdk.CollectionTrackerExtensions.AsTracker(Array.Empty<long>()));
        GC.KeepAlive(Xunit.Sdk.CollectionTrackerExtensions.AsTracker(Array.Empty<StreamId>()));
        string part = arguments is ["-method", { } pattern] ? pattern.Trim('*') : "";
        (int total, int failed, int skipped) = (0, 0, 0);
        foreach (MethodInfo method in Methods().Where(
            method => NameOf(method).Contains(part, StringComparison.Ordinal)))
        {
            foreach (object?[] row in RowsOf(method))
            {
                total++;
                Exception? fault = Run(method, row);
                if (fault is null)
                    continue;
                if (fault.Message.StartsWith(SkipMark, StringComparison.Ordinal))
                {
                    skipped++;
                    continue;
                }

                failed++;
                Console.WriteLine($"    {NameOf(method)}({string.Join(", ", row)}) [FAIL]\n{fault}");
            }
        }

        Console.WriteLine(
            $"   Native  Total: {total}, Errors: 0, Failed: {failed}, Skipped: {skipped}, Not Run: 0");
        return failed == 0 ? 0 : 1;
    }

    private static string NameOf(MethodInfo method) => $"{method.DeclaringType!.FullName}.{method.Name}";

    private static IEnumerable<MethodInfo> Methods() => typeof(NativeRunner).Assembly.GetTypes()
        .Where(static type => type is { IsAbstract: false, IsPublic: true })
        .SelectMany(static type => type.GetMethods())
        .Where(static method => method.GetCustomAttribute<FactAttribute>() is not null)
        .OrderBy(NameOf, StringComparer.Ordinal);

    private static IEnumerable<object?[]> RowsOf(MethodInfo method)
    {
        if (method.GetCustomAttribute<TheoryAttribute>() is null)
            return [[]];
        IEnumerable<object?[]> inline = method.GetCustomAttributes<InlineDataAttribute>()
            .Select(static row => row.Data);
        IEnumerable<object?[]> member = method.GetCustomAttributes<MemberDataAttribute>()
            .SelectMany(attribute =>
                RowsOf(attribute.MemberType ?? method.DeclaringType!, attribute.MemberName));
        return inline.Concat(member);
    }

    private static IEnumerable<object?[]> RowsOf(Type type, string name)
    {
        const BindingFlags Any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        object? rows = type.GetProperty(name, Any)?.GetValue(null)
            ?? type.GetMethod(name, Any)?.Invoke(null, []);
        foreach (object? row in (System.Collections.IEnumerable)rows!)
            yield return row is ITheoryDataRow typed ? typed.GetData() : (object?[])row!;
    }

    private static Exception? Run(MethodInfo method, object?[] row)
    {
        object? instance = null;
        try
        {
            instance = method.IsStatic ? null : Activator.CreateInstance(method.DeclaringType!);
            object? result = method.Invoke(instance, Converted(method, row));
            (result as Task)?.GetAwaiter().GetResult();
            return null;
        }
        catch (TargetInvocationException fault)
        {
            return fault.InnerException;
        }
        catch (Exception fault)
        {
            return fault;
        }
        finally
        {
            (instance as IDisposable)?.Dispose();
        }
    }

    private static object?[] Converted(MethodInfo method, object?[] row)
    {
        ParameterInfo[] parameters = method.GetParameters();
        object?[] converted = [.. row];
        for (int index = 0; index < parameters.Length; index++)
        {
            Type wanted = parameters[index].ParameterType;
            if (converted[index] is IConvertible value && wanted.IsPrimitive && value.GetType() != wanted)
                converted[index] = Convert.ChangeType(value, wanted, CultureInfo.InvariantCulture);
        }

        return converted;
    }
}
