using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Tidy.Rules;

/// <summary>Unfinished work is described in an issue, not marked in the code.</summary>
internal sealed class UnfinishedRule : IRule
{
    private static readonly Regex s_marks = new(@"\b(TODO|FIXME|HACK|XXX)\b");

    public string Name => "unfinished";

    public IEnumerable<Violation> Check(Repository repository) => repository.Files
        .SelectMany(file => file.Comments.Select(comment => s_marks.Match(comment.ToString()))
            .Where(match => match.Success)
            .Select(match => file.Violation(Name, "", $"a comment with {match.Value}")));
}
