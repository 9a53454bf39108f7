using System.Collections.Generic;
using System.Text;
using Microsoft.CodeAnalysis;

namespace Cinnabar.Generator;

/// <summary>
/// Finds the method that a spec names as its handler. A handler is static and takes the execution, or for
/// session commands the class derived from it. It returns an outcome, or nothing if it is always done when it
/// returns. A missing method binds nothing (a test lists such specs); one with another signature is an error.
/// </summary>
internal sealed class HandlerBinder
{
    private const string ExecutionType = "Cinnabar.Commands.Execution";
    private const string OutcomeType = "Cinnabar.Commands.Outcome";
    private const string ArgumentsType = "Cinnabar.Resp.ArgumentList";
    private readonly Compilation _compilation;
    private readonly INamedTypeSymbol? _execution;
    private readonly INamedTypeSymbol? _outcome;

    public HandlerBinder(Compilation compilation)
    {
        _compilation = compilation;
        _execution = compilation.GetTypeByMetadataName(ExecutionType);
        _outcome = compilation.GetTypeByMetadataName(OutcomeType);
    }

    /// <summary>An expression of the address of a handler without outcome; null: there is no such
    /// method.</summary>
    public string? Bind(CommandModel command) => Bind(command, command.Function, hasOutcome: false);

    /// <summary>The same of a handler that returns an outcome.</summary>
    public string? BindOutcome(CommandModel command) => Bind(command, command.Function, hasOutcome: true);

    /// <summary>The same of a command's prefetch function.</summary>
    public string? BindLookahead(CommandModel command) =>
        Bind(command, command.Lookahead, hasOutcome: false);

    /// <summary>The same of the method that chooses the stripes of a command.</summary>
    public string? BindLockChooser(CommandModel command) =>
        Bind(command, command.LockChooser, hasOutcome: false);

    /// <summary>The same of the method that decides from a command's arguments whether it needs all
    /// stripes.</summary>
    public string? BindLockAllIf(CommandModel command)
    {
        string function = command.LockAllIf;
        if (function.Length == 0) return null;
        foreach (IMethodSymbol method in Methods(function))
        {
            if (method.IsStatic && method.ReturnType.SpecialType == SpecialType.System_Boolean
                && method.Parameters.Length == 1
                && method.Parameters[0].Type.ToDisplayString() == ArgumentsType)
                return "(nint)(delegate*<global::" + ArgumentsType + ", bool>)&global::" + function;
        }

        string message = function + " is not a static bool method of one ArgumentList";
        throw new SpecException(command.FullName + ": " + message, command.Line);
    }

    private IEnumerable<IMethodSymbol> Methods(string function)
    {
        int dot = function.LastIndexOf('.');
        INamedTypeSymbol? type = dot < 0 ? null
            : _compilation.GetTypeByMetadataName(function.Substring(0, dot));
        if (type == null || !_compilation.IsSymbolAccessibleWithin(type, _compilation.Assembly)) yield break;
        foreach (ISymbol member in type.GetMembers(function.Substring(dot + 1)))
        {
            if (member is IMethodSymbol method) yield return method;
        }
    }

    private string? Bind(CommandModel command, string function, bool hasOutcome)
    {
        if (_execution == null) return null;
        bool isFound = false;
        foreach (IMethodSymbol method in Methods(function))
        {
            isFound = true;
            if (!IsHandler(method, out ITypeSymbol? parameter)) continue;
            if (method.ReturnsVoid == hasOutcome) return null;
            var text = new StringBuilder("(nint)(delegate*<global::").Append(parameter!.ToDisplayString());
            text.Append(hasOutcome ? ", global::" + OutcomeType : ", void");
            return text.Append(">)&global::").Append(function).ToString();
        }

        if (!isFound) return null;
        string message = function + " is not a static method of one Execution, void or of an Outcome";
        throw new SpecException(command.FullName + ": " + message, command.Line);
    }

    private bool IsHandler(IMethodSymbol method, out ITypeSymbol? parameter)
    {
        parameter = method.Parameters.Length == 1 ? method.Parameters[0].Type : null;
        if (parameter == null || !method.IsStatic) return false;
        bool isOutcome = SymbolEqualityComparer.Default.Equals(method.ReturnType, _outcome);
        if ((!method.ReturnsVoid && !isOutcome) || method.IsGenericMethod) return false;
        if (!_compilation.IsSymbolAccessibleWithin(method, _compilation.Assembly)) return false;
        for (ITypeSymbol? type = parameter; type != null; type = type.BaseType)
        {
            if (SymbolEqualityComparer.Default.Equals(type, _execution)) return true;
        }

        return false;
    }
}
