using System.Text;
using Microsoft.CodeAnalysis;

namespace Cinnabar.Generator;

/// <summary>
/// Finds the method that a spec names as its handler. A handler is static, returns nothing and takes the
/// execution, or the class derived from it that session commands run in. A method that does not exist
/// binds nothing (a test lists such specs); one of another shape is an error.
/// </summary>
internal sealed class HandlerBinder
{
    private const string ExecutionType = "Cinnabar.Commands.Execution";
    private readonly Compilation _compilation;
    private readonly INamedTypeSymbol? _execution;

    public HandlerBinder(Compilation compilation)
    {
        _compilation = compilation;
        _execution = compilation.GetTypeByMetadataName(ExecutionType);
    }

    /// <summary>An expression of the handler's address, or null where there is no such method.</summary>
    public string? Bind(CommandModel command) => Bind(command, command.Function);

    /// <summary>The same of the method that loads memory ahead of a command.</summary>
    public string? BindLookahead(CommandModel command) => Bind(command, command.Lookahead);

    private string? Bind(CommandModel command, string function)
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
            var text = new StringBuilder("(nint)(delegate*<global::").Append(parameter!.ToDisplayString());
            return text.Append(", void>)&global::").Append(function).ToString();
        }

        if (!isFound) return null;
        string message = function + " is not a static void method of one Execution";
        throw new SpecException(command.FullName + ": " + message, command.Line);
    }

    private bool IsHandler(IMethodSymbol method, out ITypeSymbol? parameter)
    {
        parameter = method.Parameters.Length == 1 ? method.Parameters[0].Type : null;
        if (parameter == null || !method.IsStatic) return false;
        if (!method.ReturnsVoid || method.IsGenericMethod) return false;
        if (!_compilation.IsSymbolAccessibleWithin(method, _compilation.Assembly)) return false;
        for (ITypeSymbol? type = parameter; type != null; type = type.BaseType)
        {
            if (SymbolEqualityComparer.Default.Equals(type, _execution)) return true;
        }

        return false;
    }
}
