using System.Collections.Generic;

namespace Cinnabar.Generator;

/// <summary>One node of the tree of arguments that COMMAND DOCS shows.</summary>
internal sealed class ArgumentModel
{
    public string Name { get; set; } = "";

    public string Type { get; set; } = "";

    public string Display { get; set; } = "";

    public string Token { get; set; } = "";

    public int KeySpecIndex { get; set; } = -1;

    public string Since { get; set; } = "";

    public string DeprecatedSince { get; set; } = "";

    /// <summary>optional, multiple, multiple_token.</summary>
    public List<string> Flags { get; } = new List<string>();

    public List<ArgumentModel> Arguments { get; set; } = new List<ArgumentModel>();
}
