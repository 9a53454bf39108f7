using System.Text;
using Microsoft.CodeAnalysis;

namespace Cinnabar.Generator;

/// <summary>
/// Finds the method that a spec names as its handler. A handler is static, returns an outcome, or nothing
/// where it always ends where it began, and takes the execution, or the class derived from it that session
/// commands run in. A method that does not exist binds nothing (a test lists such specs); one of another
/// shape is an error.
/// </summary>
internal sealed class HandlerBinder
{
    private const string ExecutionType = "Cinnabar.Commands.Execution";
    private const string OutcomeType = "Cinnabar.Commands.Outcome";
    private readonly Compilation _compilation;
    private readonly INamedTypeSymbol? _execution;
    private readonly INamedTypeSymbol? _outcome;

    public HandlerBinder(Compilation compilation)
    {
        _compilation = compilation;
        _execution = compilation.GetTypeByMetadataName(ExecutionType);
        _outcome = compilation.GetTypeByMetadataName(OutcomeType);
    }

    /// <summary>An expression of the address of a handler that always ends where it began; null: there is no
    /// such method.</summary>
    public string? Bind(CommandModel command) => Bind(command, command.Function, hasOutcome: false);

    /// <summary>The same of a handler that returns an outcome.</summary>
    public string? BindOutcome(CommandModel command) => Bind(command, command.Function, hasOutcome: true);

    /// <summary>The same of the method that loads memory ahead of a command.</summary>
    public string? BindLookahead(CommandModel command) =>
        Bind(command, command.Lookahead, hasOutcome: false);

    private string? Bind(CommandModel command, string function, bool hasOutcome)
    {
        int dot = function.LastIndexOf('.');
        if (dot < 0 || _execution == null) return null;
        INamedTypeSymbol? type = _compilation.GetTypeByMetadataName(function.Substring(0, dot));
        if (type == null || !_compilation.IsSymbolAccessibleWithin(type, _compilation.Assembly)) return null;
        bool isFound = false;
        foreach (ISymbol member in type.GetMembers(function.Substring(dot + 1)))
        {
            if (member is not IMethodSymbol method) continue;
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
