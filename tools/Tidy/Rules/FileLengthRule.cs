using System.Collections.Generic;
using System.Linq;

namespace Tidy.Rules;

/// <summary>A file is read in one sitting.</summary>
internal sealed class FileLengthRule : IRule
{
    private const int LineCountMax = 400;

    public string Name => "file-length";

    public IEnumerable<Violation> Check(Repository repository) => repository.Files
        .Where(file => file.Lines.Length > LineCountMax)
        .Select(file => file.Violation(Name, "", $"{file.Lines.Length} lines"));
}
