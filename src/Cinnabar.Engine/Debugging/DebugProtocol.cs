using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Debugging;

/// <summary>DEBUG PROTOCOL: a sample of each type that a reply may have.</summary>
internal static class DebugProtocol
{
    /// <summary>Replies the sample of the type that the second argument names.</summary>
    public static void Reply(SessionExecution execution)
    {
        ref ReplyWriter reply = ref execution.Reply;
        if (execution.Is(2, "string"u8))
            reply.Bulk("Hello World"u8);
        else if (execution.Is(2, "integer"u8))
            reply.Integer(12345);
        else if (execution.Is(2, "double"u8))
            reply.Double(3.141);
        else if (execution.Is(2, "null"u8))
            reply.Null();
        else if (execution.Is(2, "bignum"u8))
            reply.BigNumber("1234567999999999999999999999999999999"u8);
        else if (execution.Is(2, "verbatim"u8))
            reply.Verbatim("txt"u8, "This is a verbatim\nstring"u8);
        else if (execution.Is(2, "true"u8))
            reply.Boolean(true);
        else if (execution.Is(2, "false"u8))
            reply.Boolean(false);
        else
            ReplyAggregate(execution);
    }

    private static void ReplyAggregate(SessionExecution execution)
    {
        ref ReplyWriter reply = ref execution.Reply;
        if (execution.Is(2, "array"u8))
        {
            reply.ArrayHeader(3);
            ReplyNumbers(ref reply);
        }
        else if (execution.Is(2, "set"u8))
        {
            reply.SetHeader(3);
            ReplyNumbers(ref reply);
        }
        else if (execution.Is(2, "map"u8))
        {
            reply.MapHeader(3);
            for (int number = 0; number < 3; number++)
            {
                reply.Integer(number);
                reply.Boolean(number == 1);
            }
        }
        else if (execution.Is(2, "attrib"u8))
        {
            ReplyAttribute(ref reply);
        }
        else if (execution.Is(2, "push"u8))
        {
            ReplyPush(ref reply);
        }
        else
        {
            reply.Error("ERR Wrong protocol type name. Please use one of the following: "u8,
                "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false"u8, default);
        }
    }

    private static void ReplyNumbers(ref ReplyWriter reply)
    {
        for (int number = 0; number < 3; number++)
            reply.Integer(number);
    }

    private static void ReplyAttribute(ref ReplyWriter reply)
    {
        if (reply.AttributeHeader(1))
        {
            reply.Bulk("key-popularity"u8);
            reply.ArrayHeader(2);
            reply.Bulk("key:123"u8);
            reply.Integer(90);
        }

        reply.Bulk("Some real reply following the attribute"u8);
    }

    private static void ReplyPush(ref ReplyWriter reply)
    {
        if (reply.Protocol < 3)
        {
            reply.Error("ERR RESP2 is not supported by this command"u8);
            return;
        }

        reply.PushHeader(2);
        reply.Bulk("server-cpu-usage"u8);
        reply.Integer(42);
        reply.Bulk("Some real reply following the push reply"u8);
    }
}
