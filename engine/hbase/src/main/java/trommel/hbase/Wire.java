package trommel.hbase;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.Service;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.BytesBytesPair;

/**
 * The endpoint's transport, bytes in and bytes out, and all that differs between HBase 2 and 3: there protobuf is
 * {@code org.apache.hbase.thirdparty.com.google.protobuf}, and {@code BytesBytesPair} is in
 * {@code org.apache.hadoop.hbase.shaded.protobuf.generated}. The service is described at run time, in HBase's own
 * message, so that no generated code is bound to either of them.
 */
final class Wire {
  static final String METHOD = "call";
  private static final Descriptors.ServiceDescriptor SERVICE;
  private static final Descriptors.MethodDescriptor CALL;

  static {
    try {
      String message = "." + BytesBytesPair.getDescriptor().getFullName();
      Descriptors.FileDescriptor dependency = BytesBytesPair.getDescriptor().getFile();
      FileDescriptorProto file =
          FileDescriptorProto.newBuilder()
              .setName("trommel_index.proto")
              .setPackage("trommel")
              .addDependency(dependency.getName())
              .addService(
                  ServiceDescriptorProto.newBuilder()
                      .setName("Index")
                      .addMethod(
                          MethodDescriptorProto.newBuilder()
                              .setName(METHOD)
                              .setInputType(message)
                              .setOutputType(message)))
              .build();
      SERVICE =
          Descriptors.FileDescriptor.buildFrom(file, new Descriptors.FileDescriptor[] {dependency})
              .findServiceByName("Index");
      CALL = SERVICE.findMethodByName(METHOD);
    } catch (Descriptors.DescriptorValidationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Wire() {}

  static BytesBytesPair message(byte[] bytes) {
    return BytesBytesPair.newBuilder()
        .setFirst(ByteString.copyFrom(bytes))
        .setSecond(ByteString.EMPTY)
        .build();
  }

  /**
   * Returns the answer of the region that has the row. HBase's client locates the region, and tries again with its
   * own settings when the region has moved.
   */
  static byte[] call(Table table, byte[] row, byte[] request) throws IOException {
    return call(table.coprocessorService(row), request);
  }

  /** Returns the answer of a server, which is asked once. */
  static byte[] call(Admin admin, ServerName server, byte[] request) throws IOException {
    return call(admin.coprocessorService(server), request);
  }

  private static byte[] call(CoprocessorRpcChannel channel, byte[] request) throws IOException {
    try {
      Message answer =
          channel.callBlockingMethod(CALL, null, message(request), BytesBytesPair.getDefaultInstance());
      return ((BytesBytesPair) answer).getFirst().toByteArray();
    } catch (ServiceException e) {
      throw e.getCause() instanceof IOException ? (IOException) e.getCause() : new IOException(e);
    }
  }

  /** The server's end: a coprocessor that answers calls. */
  abstract static class Endpoint implements Coprocessor {
    /** Returns the answer to a request, or fails with what the client is to see. */
    abstract byte[] answer(byte[] request) throws IOException;

    @Override
    public Iterable<Service> getServices() {
      return List.of(service(this));
    }
  }

  static Service service(Endpoint endpoint) {
    return new Calls(endpoint);
  }

  private static final class Calls implements Service {
    private final Endpoint endpoint;

    Calls(Endpoint endpoint) {
      this.endpoint = endpoint;
    }

    @Override
    public void callMethod(
        Descriptors.MethodDescriptor method, RpcController controller, Message request, RpcCallback<Message> done) {
      Message answer = null;
      try {
        answer = message(endpoint.answer(((BytesBytesPair) request).getFirst().toByteArray()));
      } catch (IOException e) {
        CoprocessorRpcUtils.setControllerException(controller, e);
      }
      done.run(answer);
    }

    @Override
    public Descriptors.ServiceDescriptor getDescriptorForType() {
      return SERVICE;
    }

    @Override
    public Message getRequestPrototype(Descriptors.MethodDescriptor method) {
      return BytesBytesPair.getDefaultInstance();
    }

    @Override
    public Message getResponsePrototype(Descriptors.MethodDescriptor method) {
      return BytesBytesPair.getDefaultInstance();
    }
  }
}
